import { draws } from '../../money/settlement/personal.ts';
import { type PersonalData, redacted } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    disputes: {
      belongs: { to: 'row', of: 'payments', by: 'payment_id' },
      plain: 'team_id id payment_id amount_minor currency status reason due_at event_count created_at updated_at closed_at',
      rules: { evidence: redacted, note: redacted, draws },
    },
  },
  events: {
    dispute: {
      plain: 'id payment amount currency status reason due_at sandbox created_at updated_at closed_at',
      rules: { evidence: redacted },
    },
  },
};
