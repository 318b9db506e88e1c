import { fields, type Fields, type PersonalData } from '../../kit/personal.ts';

/** Explanation of the choice of a provider, as stored with an attempt or a transfer. */
export const explanation: Fields = { plain: 'at operation channel currency amount rule by draw accounts' };

export const personal: PersonalData = {
  tables: {
    routing_rules: {
      plain:
        'id team_id environment priority operation countries channels currencies min_minor max_minor account_order least_cost ' +
        'fallback created_at',
      rules: { shares: fields({ plain: 'name weight' }) },
    },
  },
};
