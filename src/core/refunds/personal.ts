import { draws } from '../../money/settlement/personal.ts';
import { fields, type PersonalData, redacted } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    refunds: {
      belongs: { to: 'row', of: 'payments', by: 'payment_id' },
      plain:
        'team_id id payment_id kind attempt_id amount_minor currency status reason failure_reason event_count polls next_poll_at ' +
        'key_id request_id created_at updated_at submitted_at completed_at return_id way',
      rules: {
        message: redacted,
        metadata: redacted,
        resolution: redacted,
        legs: fields({
          plain: 'attempt_id amount_minor provider_key spent_key resent halted provider_ref sent_at provider_account status',
        }),
        draws,
      },
    },
    refund_keys: { plain: 'team_id provider_key refund_id' },
  },
  events: {
    refund: {
      plain: 'id payment amount currency status reason failure_reason fee sandbox created_at updated_at completed_at',
      rules: { message: redacted, metadata: redacted },
    },
  },
};
