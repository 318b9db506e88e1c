import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    erasures: { plain: 'team_id customer_id key_id request_id payments tax_id_kept erased_at revisit_at' },
  },
};
