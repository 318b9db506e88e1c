import { type Fields, fields, type PersonalData, type Rule } from '../../kit/personal.ts';

/** The split of a payment with a subaccount. */
export const split: Rule = fields({ plain: 'type value' });

/** The balances from which an amount was drawn. */
export const draws: Rule = fields({ plain: 'account_id bucket amount_minor item account' } satisfies Fields);

export const personal: PersonalData = {
  tables: {
    settlement_items: {
      plain:
        'team_id payment_id account_id currency share_minor amount_minor release_at released_at released_by released_minor drawn_minor',
    },
  },
};
