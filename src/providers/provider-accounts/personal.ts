import { fields, type PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    provider_accounts: {
      plain: 'id team_id environment provider name credentials_sealed active created_at updated_at',
      rules: { costs: fields({ plain: 'mobile_money bank card payout' }) },
    },
  },
};
