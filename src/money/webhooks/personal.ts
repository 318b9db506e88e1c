import { kept, type PersonalData, removed } from '../../kit/personal.ts';

const SETTING = kept('a setting of the merchant, without data of payers', 'the endpoint is deleted');

/**
 * The responses of most receivers. They contain no personal data, so they are not indexed for erasures: the condition of the index
 * delivery_attempts_responses repeats this list.
 */
const ACKNOWLEDGEMENTS = [
  ...['ok', 'OK', 'Ok', 'success', 'received', 'accepted', 'Accepted', 'true', '1', '{}', 'EVENT_RECEIVED'],
  ...['{"ok":true}', '{"success":true}', '{"received":true}', '{"received": true}', '{"status":"ok"}', '{"status":"success"}'],
];

export const personal: PersonalData = {
  tables: {
    webhook_endpoints: {
      plain:
        'team_id id secret_sealed events active api_version failing_since disabled_reason created_at updated_at backlog_full_since ' +
        'resend_started_at resend_events',
      rules: { url: SETTING, description: SETTING, metadata: SETTING },
    },
    deliveries: { plain: 'id team_id endpoint_id event_id tries due_at claim' },
    delivery_attempts: {
      belongs: { to: 'event', by: 'event_id' },
      ages: { walk: ['team_id', 'endpoint_id'] },
      plain:
        'team_id id endpoint_id event_id event_type attempt succeeded response_status error duration_ms next_attempt_at created_at',
      // A receiver may have echoed the event.
      rules: { response_body: removed({ unless: 'it is a usual acknowledgement, such as `ok`', except: ACKNOWLEDGEMENTS }) },
    },
  },
  events: {
    webhook: {
      plain: 'id url events active api_version failing_since disabled_reason backlog_full_since sandbox created_at updated_at',
      rules: { description: SETTING, metadata: SETTING },
    },
  },
};
