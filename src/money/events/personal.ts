import { type PersonalData, withRow } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    events: {
      belongs: { to: 'resource', by: 'resource_id' },
      ages: { walk: ['team_id'], unless: { table: 'deliveries', by: 'event_id' } },
      plain: 'team_id id type resource_id sequence pending_webhooks created_at',
      rules: { body: { becomes: 'event' } },
    },
    event_sequences: { plain: 'team_id resource_id recorded_to' },
    // Made again from the event when an endpoint with an older version needs it.
    event_bodies: {
      belongs: { to: 'event', by: 'event_id' },
      plain: 'team_id event_id api_version',
      rules: { body: withRow },
    },
  },
};
