import { kept, type PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    request_log: {
      plain: 'team_id id request_id method path status duration_ms error_code created_at',
      rules: { caller: kept('a key or a person of the merchant, never a payer', 'their day is more than 7 days old') },
    },
    request_log_days: { plain: 'team_id day requests' },
  },
};
