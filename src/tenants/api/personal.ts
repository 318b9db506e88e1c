import { kept, type PersonalData, removed } from '../../kit/personal.ts';

const CONSUMED = kept('a key that was forgotten would execute its request again', 'for ever');

export const personal: PersonalData = {
  tables: {
    idempotency_keys: {
      belongs: { to: 'resource', by: 'resource_id' },
      expires: { column: 'answer', since: 'created_at', key: ['team_id', 'route', 'key'] },
      plain: 'team_id route resource_id created_at',
      rules: { key: CONSUMED, request_hash: CONSUMED, answer: removed() },
    },
  },
};
