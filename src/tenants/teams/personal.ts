import { kept, type PersonalData } from '../../kit/personal.ts';

const MERCHANT = kept('the merchant itself, as the party to its contract', 'for ever: a team is not deleted');

export const personal: PersonalData = {
  tables: {
    teams: {
      plain:
        'id plan verification_level default_currency unique_references hosted_retry api_version public_keys brand_color payer_language payer_language_always ' +
        'abuse_rules created_at updated_at',
      rules: { name: MERCHANT, email: MERCHANT, address: MERCHANT, tax_id: MERCHANT },
    },
  },
};
