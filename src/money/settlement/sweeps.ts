import type { Store } from '../../platform/db/stores.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { account } from '../ledger/accounts.ts';
import { type Journal, post } from '../ledger/post.ts';
import type { Sweep } from '../../platform/work/sweep.ts';
import { type Arrival, repayCredit } from './credit.ts';
import type { SettlementDeps } from './deps.ts';
import { duePayments, lockDueItems, markReleased, type SettlementItem } from './store.ts';

const BATCH = 500;

/** Moves money whose retention is over from pending to available: one journal for each party and batch. */
export function retentionSweep(deps: Pick<SettlementDeps, 'clock'>, store: Store): Sweep {
  return {
    name: 'hold-release',
    environment: store.environment,
    idle_ms: 1_000,
    round: async () => {
      const at = deps.clock.now();
      const refs = await duePayments(store.db, new Date(at), BATCH);
      if (refs.length === 0) return 0;
      return store.db.transaction((tx) => releaseRetention(tx, refs, at));
    },
  };
}

async function releaseRetention(tx: Tx, refs: { team_id: bigint; payment_id: string }[], at: number): Promise<number> {
  const items = await lockDueItems(tx, refs, new Date(at));
  if (items.length === 0) return 0;
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
  return items.length;
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
