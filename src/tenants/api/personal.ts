import { kept, type PersonalData, removed, withRow } from '../../kit/personal.ts';

const CONSUMED = kept('a key that was forgotten would execute its request again', 'for ever');

export const personal: PersonalData = {
  tables: {
    idempotency_keys: {
      belongs: { to: 'resource', by: 'resource_id' },
      expires: { column: 'answer', since: 'created_at', key: ['team_id', 'route', 'key'] },
      plain: 'team_id route resource_id created_at',
      // Responses from before they had a table of their own.
      rules: { key: CONSUMED, request_hash: CONSUMED, answer: removed() },
    },
    idempotency_answers: {
      belongs: { to: 'resource', by: 'resource_id' },
      plain: 'team_id route created_at resource_id',
      rules: { key: withRow, answer: withRow },
    },
  },
};
