import { kept, type PersonalData } from '../../kit/personal.ts';

/** Recipients are not customers, as in transfers. */
const recipient = kept('the recipient of a payout, not a payer', '30 days, or until the line is paid');

export const personal: PersonalData = {
  tables: {
    payout_batches: { plain: 'team_id id user_id lines started_at created_at' },
    payout_batch_lines: {
      plain: 'team_id batch_id line file_line status amount_minor fee_minor currency repeats result_id',
      rules: { body: recipient, recipient, message: recipient },
    },
  },
};
