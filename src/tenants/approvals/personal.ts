import { kept, type PersonalData } from '../../kit/personal.ts';

/** Encrypted, with the recipient of a payout. */
const ASKED = kept('what people of the merchant asked for, encrypted; a recipient of payouts is not a payer', '400 days');
/** A message of the API about what was asked for: it can repeat a value of the body. */
const REJECTED = kept('why an operation of the merchant’s people was rejected', '400 days');

export const personal: PersonalData = {
  tables: {
    approval_thresholds: { plain: 'team_id currency above_minor created_at' },
    approvals: {
      plain:
        'id team_id environment kind operation permission form_key amount_minor currency asked_by asked_session asked_at expires_at ' +
        'decision decided_by decided_session decided_at done_at outcome result',
      rules: { body_sealed: ASKED, message: REJECTED },
    },
  },
};
