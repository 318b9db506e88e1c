import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    // `request` and `response` have listed fields only (redact.ts): codes, amounts, times and ids.
    provider_exchanges: {
      plain:
        'team_id id subject_id provider account_id method path status error duration_ms request response response_bytes created_at callback',
    },
  },
};
