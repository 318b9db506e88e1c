import { explanation } from '../../providers/routing/personal.ts';
import { fields, kept, type PersonalData } from '../../kit/personal.ts';

/** Recipients are not customers: the erasure of a payer keeps them, even those with the payer's phone number. */
const recipient = kept('the recipient of a payout, not a payer', 'for ever, with the transfer');

const texts = { reference: recipient, message: recipient, description: recipient, metadata: recipient };

export const personal: PersonalData = {
  tables: {
    transfers: {
      plain:
        'team_id id amount_minor fee_minor currency status reason beneficiary_id channel provider_account provider_key ' +
        'provider_ref stage event_count polls next_poll_at key_id request_id created_at updated_at dispatched_at completed_at ' +
        'counted_day paid_late_at account_id',
      rules: {
        ...texts,
        recipient,
        resolution: recipient,
        decision: fields({
          plain: 'candidates tried asked resent recalled spent',
          rules: { explanation: fields(explanation), note: recipient },
        }),
      },
    },
  },
  events: {
    transfer: {
      plain:
        'id amount currency fee amount_total status reason beneficiary channel account sandbox created_at updated_at completed_at',
      rules: texts,
    },
  },
};
