import { kept, type PersonalData } from '../../kit/personal.ts';

const SHOP = kept('a text of the merchant for every payer of the link', 'the merchant changes it');

const rules = { title: SHOP, description: SHOP, reference: SHOP, callback: SHOP, theming: SHOP, metadata: SHOP };

export const personal: PersonalData = {
  tables: {
    links: {
      plain:
        'team_id id amount_minor min_amount_minor max_amount_minor currency status expires_at max_uses collect made_count ' +
        'open_count succeeded_count collected_minor event_count key_id request_id created_at updated_at held_count late_count',
      rules,
    },
    link_uses: { plain: 'team_id payment_id link_id' },
  },
  events: {
    link: {
      plain:
        'id amount min_amount max_amount currency status url expires_at max_uses collect payments payments_open ' +
        'payments_succeeded amount_collected sandbox created_at updated_at',
      rules,
    },
  },
};
