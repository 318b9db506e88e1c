import { kept, type PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    erasures: {
      plain: 'team_id customer_id key_id request_id payments tax_id_kept erased_at revisit_at',
      rules: { known_sealed: kept('what identified the person, encrypted', 'five minutes after the erasure') },
    },
  },
};
