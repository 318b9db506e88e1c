import { APP_ROLE, openPool } from '../../src/platform/db/pool.ts';
import { Batcher } from '../../src/kit/batch.ts';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { type Journal, post } from '../../src/money/ledger/post.ts';
import { takeJobs } from './jobs.ts';
import { type Counted, Tally, type Windowed } from './tally.ts';

export interface PostingJob extends Windowed {
  url: string;
  connections: number;
  /** How money is booked: by our `post`, or by locking the row of each account; each in a transaction of its own or many in one. */
  way: 'post' | 'lock' | 'together';
  team_id: string;
  /** Payments under way, to be succeeded one after the other. */
  ids: string[];
}

/** As creation does it: docs/performance/post.md. */
const TOGETHER = { max: 64, inFlight: 2 };
const AMOUNT_MINOR = 25_000_00n;
const FEE_MINOR = 500_00n;

/** One merchant's payments succeed: the row changes its status and its money is booked, in one transaction. */
takeJobs<PostingJob, Counted>(async (job, started) => {
  const size = job.way === 'together' ? TOGETHER.inFlight : job.connections;
  const pool = openPool({ url: job.url, size, log: createLog({ level: 'warn', format: 'json' }), role: APP_ROLE });
  const team_id = BigInt(job.team_id);
  const db = pool.seeing(team_id);
  const book = job.way === 'lock' ? lockRows : post;
  const succeed = (ids: string[]) =>
    db.transaction(async (tx) => {
      await markSucceeded(tx, team_id, ids);
      await book(
        tx,
        ids.map((id) => journalOf(team_id, id)),
      );
      return ids;
    });
  const batcher = new Batcher({ ...TOGETHER, exclusive: (id: string) => [id], run: succeed });
  const one = (id: string) => (job.way === 'together' ? batcher.add(id) : succeed([id]));
  try {
    const tally = new Tally(job, started);
    let next = 0;
    await Promise.all(
      Array.from({ length: job.connections }, async () => {
        while (!tally.over) {
          const since = performance.now();
          await one(job.ids[next++ % job.ids.length] as string);
          tally.add(since);
        }
      }),
    );
    return tally.result();
  } finally {
    await pool.close();
  }
});

function journalOf(team_id: bigint, payment_id: string): Journal {
  return {
    team_id,
    kind: 'payment.succeeded',
    source_id: newId('att', 'sandbox', Date.now()),
    subject_id: payment_id,
    currency: 'XAF',
    postings: [
      { debit: 'clearing', credit: 'pending', amount_minor: AMOUNT_MINOR },
      { debit: 'pending', credit: 'fee_income', amount_minor: FEE_MINOR },
    ],
  };
}

async function markSucceeded(tx: Tx, team_id: bigint, ids: string[]): Promise<void> {
  const changes = JSON.stringify(ids.map((id) => ({ id })));
  await tx.run(sql`
    update payments p set status = 'succeeded', captured_minor = amount_minor, event_count = event_count + 1, updated_at = now(), completed_at = now()
    from json_to_recordset(${changes}::json) as c(id text) where p.team_id = ${team_id} and p.id = c.id`);
}

/** What `post` would be without streamed accounts: the same rows, and every balance changed under its lock, in a fixed order. */
async function lockRows(tx: Tx, journals: Journal[]): Promise<void> {
  const input = JSON.stringify(journals, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  await tx.run(sql`
    with input as materialized (
      select * from json_to_recordset(${input}::json) as i(team_id bigint, kind text, source_id text, subject_id text, currency text, postings json)
    ),
    booked as (
      insert into journals (team_id, kind, source_id, subject_id) select team_id, kind, source_id, subject_id from input
      on conflict (team_id, source_id, kind) do nothing returning team_id, id, source_id
    )
    insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
    select b.team_id, b.id, p.line, i.currency, p.value->>'debit', p.value->>'credit', (p.value->>'amount_minor')::bigint
    from input i join booked b using (source_id), json_array_elements(i.postings) with ordinality as p(value, line)`);
  const [{ team_id, currency }] = journals as [Journal];
  const count = BigInt(journals.length);
  const nets = JSON.stringify([
    { account: 'clearing', by: String(-AMOUNT_MINOR * count) },
    { account: 'fee_income', by: String(FEE_MINOR * count) },
    { account: 'pending', by: String((AMOUNT_MINOR - FEE_MINOR) * count) },
  ]);
  await tx.run(sql`
    with locked as materialized (
      select b.account, n.by from balances b join json_to_recordset(${nets}::json) as n(account text, by bigint) using (account)
      where b.team_id = ${team_id} and b.currency = ${currency} order by b.account for update of b
    )
    update balances b set posted_minor = b.posted_minor + l.by from locked l
    where b.team_id = ${team_id} and b.currency = ${currency} and b.account = l.account`);
}
