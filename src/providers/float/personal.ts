import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    floats: { plain: 'team_id account_id currency area use amount_minor read_at' },
    float_polls: { plain: 'team_id account_id asked_at read_at error' },
    float_alerts: { plain: 'team_id account_id currency area below_minor' },
  },
};
