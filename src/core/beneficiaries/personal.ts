import { kept, type PersonalData } from '../../kit/personal.ts';

/** Recipients are not customers: the erasure of a payer keeps them, even with the same number. */
const recipient = kept('a recipient of payouts, not a payer', 'the merchant deletes the beneficiary');

const rules = {
  name: recipient,
  account_number: recipient,
  phone: recipient,
  email: recipient,
  description: recipient,
  reference: recipient,
  metadata: recipient,
};

export const personal: PersonalData = {
  tables: {
    beneficiaries: {
      plain: 'team_id id channel type country currency bank_code event_count created_at updated_at',
      rules,
    },
  },
  events: {
    beneficiary: { plain: 'id type channel bank_code country currency sandbox created_at updated_at', rules },
  },
};
