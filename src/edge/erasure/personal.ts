import { kept, type PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    erasures: {
      expires: { column: 'known_sealed', since: 'erased_at', key: ['team_id', 'customer_id'] },
      plain: 'team_id customer_id key_id request_id payments tax_id_kept erased_at revisit_at',
      rules: { known_sealed: kept('what identified the person, encrypted', 'five minutes after the erasure') },
    },
  },
};
