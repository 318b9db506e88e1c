import { type Queryable, part, sql } from '../kit/sql.ts';
import type { Report } from './differences.ts';
import { sealedRange } from './seal.ts';

const PAGE = 500;

/** The newest seal: noted somewhere else, it proves later that nothing before it was changed. */
export interface ChainEnd {
  seals: number;
  /** Hex; null while nothing is sealed. */
  last_seal: string | null;
}

interface SealRow {
  id: bigint;
  after_tx: string;
  up_to_tx: string;
  journals: number;
  previous: string;
  hash: string;
}

/** What the first seal follows: the hash of nothing. */
const START = { up_to_tx: '0', hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };

/** Makes every seal again from the journals it covers, one after the other. */
export async function verifySeals(db: Queryable, report: Report): Promise<ChainEnd> {
  let last: Pick<SealRow, 'up_to_tx' | 'hash'> = START;
  let seals = 0;
  for (let page = await sealsAfter(db, 0n); page.length > 0; page = await sealsAfter(db, (page.at(-1) as SealRow).id)) {
    for (const seal of page) {
      reportGap(seal, last, report);
      await reportChange(db, seal, report);
      last = seal;
    }
    seals += page.length;
  }
  await reportCounter(db, report);
  return { seals, last_seal: seals === 0 ? null : last.hash };
}

function sealsAfter(db: Queryable, id: bigint): Promise<SealRow[]> {
  return db.all<SealRow>(sql`
    select id, after_tx::text, up_to_tx::text, journals, encode(previous, 'hex') as previous, encode(hash, 'hex') as hash
    from ledger_seals where id > ${id} order by id limit ${PAGE}`);
}

function reportGap(seal: SealRow, last: Pick<SealRow, 'up_to_tx' | 'hash'>, report: Report): void {
  if (seal.after_tx === last.up_to_tx && seal.previous === last.hash) return;
  report({
    check: 'chain_broken',
    team_id: null,
    what: `seal ${seal.id}`,
    expected: `follows transaction ${last.up_to_tx}, hash ${last.hash}`,
    found: `follows transaction ${seal.after_tx}, hash ${seal.previous}`,
  });
}

/** Made from the seal's own `previous`, so that one change is not reported for every seal after it. */
async function reportChange(db: Queryable, seal: SealRow, report: Report): Promise<void> {
  const range = sealedRange(part`${seal.after_tx}::xid8`, part`${seal.up_to_tx}::xid8`, part`decode(${seal.previous}, 'hex')`);
  const [made] = await db.all<{ journals: number; hash: string }>(
    sql`select journals, encode(hash, 'hex') as hash from (${range}) made`,
  );
  if (made?.journals === seal.journals && made.hash === seal.hash) return;
  report({
    check: 'seal_broken',
    team_id: null,
    what: `seal ${seal.id}: journals of transactions ${seal.after_tx} to before ${seal.up_to_tx}`,
    expected: `${seal.journals} journals, hash ${seal.hash}`,
    found: `${made?.journals} journals, hash ${made?.hash}`,
  });
}

async function reportCounter(db: Queryable, report: Report): Promise<void> {
  const behind = await db.maybe<{ booked: string; counter: string }>(sql`
    select booked::text, pg_snapshot_xmax(pg_current_snapshot())::text as counter from (
      select greatest((select tx from journals order by tx desc, id desc limit 1), (select up_to_tx from ledger_seals order by id desc limit 1)) as booked
    ) newest where booked > pg_snapshot_xmax(pg_current_snapshot())`);
  if (!behind) return;
  report({
    check: 'counter_behind',
    team_id: null,
    what: 'the transaction counter of the server',
    expected: `at least ${behind.booked}`,
    found: behind.counter,
  });
}
