import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    api_keys: {
      plain: 'id team_id hash environment kind last4 scopes allowed_ips active expires_at revoked_at created_at idempotency_key',
    },
  },
};
