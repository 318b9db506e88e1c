import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    payment_hours: {
      plain:
        'team_id hour part currency channel succeeded failed cancelled expired collected_minor confirmed confirm_ms refunded ' +
        'refunded_minor',
    },
    payment_counts: { plain: 'team_id final_to counted_id counted_at marked_at marked_xid' },
  },
};
