import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { account } from '../ledger/accounts.ts';
import { type Journal, post } from '../ledger/post.ts';
import { type Arrival, repayCredit } from './credit.ts';
import { markReleased, type SettlementItem } from './store.ts';

/** Moves the pending money of locked items to available: one journal for each party. */
export async function releaseItems(tx: Tx, items: SettlementItem[], at: number): Promise<void> {
  const batch = newId('req', 'live', at);
  const parties = groupByParty(items);
  await markReleased(tx, items, new Date(at), batch);
  await post(
    tx,
    parties.map((party) => journalOf(party, batch)),
  );
  await repayCredit(
    tx,
    parties.map(
      ([first]): Arrival => ({
        team_id: first.team_id,
        currency: first.currency,
        account_id: first.account_id,
        source_id: batch,
        subject_id: batch,
      }),
    ),
  );
}

type Party = [SettlementItem, ...SettlementItem[]];

function groupByParty(items: SettlementItem[]): Party[] {
  const parties = new Map<string, Party>();
  for (const item of items) {
    const key = `${item.team_id} ${item.currency} ${item.account_id}`;
    const party = parties.get(key);
    if (party) party.push(item);
    else parties.set(key, [item]);
  }
  return [...parties.values()];
}

function journalOf(party: Party, batch: string): Journal {
  const [{ team_id, currency, account_id }] = party;
  const owner = account_id || null;
  return {
    team_id,
    currency,
    source_id: batch,
    subject_id: batch,
    kind: `hold.released:${currency}:${account('available', owner)}`,
    postings: [
      {
        debit: account('pending', owner),
        credit: account('available', owner),
        amount_minor: party.reduce((sum, item) => sum + item.amount_minor, 0n),
      },
    ],
  };
}
