import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    journals: { plain: 'team_id id kind source_id subject_id created_at tx family' },
    postings: { plain: 'team_id journal_id line currency debit credit amount_minor' },
    balances: { plain: 'team_id currency account guarded posted_minor' },
    balance_deltas: { plain: 'id team_id currency account amount_minor' },
    balance_days: { plain: 'team_id currency day account kind amount_minor' },
    subaccount_balance_days: { plain: 'team_id subaccount currency day account kind amount_minor' },
    balance_day_counts: { plain: 'team_id counted_to subaccounts_counted_to marked_to marked_xid' },
    ledger_seals: { plain: 'id after_tx up_to_tx journals previous hash sealed_at' },
    ledger_group_seals: { plain: 'team_group n after_tx up_to_tx journals previous hash sealed_at' },
  },
};
