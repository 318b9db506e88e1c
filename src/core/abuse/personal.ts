import { fields, kept, type PersonalData } from '../../kit/personal.ts';

const BLOCK = kept('a block against fraud: a keyed hash, a network or an id', 'it expires or an operator removes it');

export const personal: PersonalData = {
  tables: {
    abuse_blocks: { plain: 'team_id id kind created_at expires_at', rules: { value: BLOCK, network: BLOCK, note: BLOCK } },
    abuse_payers: {
      plain: 'team_id charges last_at by_public by_page',
      rules: { payer_hash: kept('a keyed hash that counts charges of one number', 'a day after the last charge') },
    },
    abuse_windows: { plain: 'team_id starts_at charges by_public by_page' },
    abuse_paces: { plain: 'team_id busiest made_at' },
    abuse_amounts: { plain: 'team_id currency payments high_minor' },
    abuse_refusals: {
      plain: 'team_id payment_id rule times first_at last_at',
      rules: { figures: fields({ plain: 'block kind amount_minor currency high_minor payments most minutes busiest' }) },
    },
  },
};
