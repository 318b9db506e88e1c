import type { Queryable } from '../../kit/sql.ts';
import { type Chain, remade, type Seal, sealsAfter, transactionAhead } from './store.ts';

const PAGE = 500;

/** The newest seal. Noted outside the database, it later proves that nothing before it was changed. */
export interface ChainEnd {
  seals: number;
  /** Hexadecimal; null while nothing is sealed. */
  last_seal: string | null;
}

/** An inconsistency of a chain. */
export interface Fault {
  /**
   * seal_broken: rows were changed, added or removed. chain_broken: a seal was changed or removed. counter_behind: the rows
   * come from another server.
   */
  check: 'seal_broken' | 'chain_broken' | 'counter_behind';
  what: string;
  expected: string;
  found: string;
}

type Report = (fault: Fault) => void;

/** The state before the first seal: the hash of empty input. */
const START = { up_to_tx: '0', hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };

/**
 * Recomputes every seal from the rows it covers, one after the other.
 * @returns the number of seals and the last one
 */
export async function verifyChain(db: Queryable, chain: Chain, report: Report): Promise<ChainEnd> {
  let last: Pick<Seal, 'up_to_tx' | 'hash'> = START;
  let seals = 0;
  for (let page = await sealsAfter(db, chain, 0n, PAGE); page.length > 0; ) {
    for (const seal of page) {
      reportGap(seal, last, report);
      await reportChange(db, chain, seal, report);
      last = seal;
    }
    seals += page.length;
    page = await sealsAfter(db, chain, (page.at(-1) as Seal).id, PAGE);
  }
  await reportCounter(db, chain, report);
  return { seals, last_seal: seals === 0 ? null : last.hash };
}

function reportGap(seal: Seal, last: Pick<Seal, 'up_to_tx' | 'hash'>, report: Report): void {
  if (seal.after_tx === last.up_to_tx && seal.previous === last.hash) return;
  report({
    check: 'chain_broken',
    what: `seal ${seal.id}`,
    expected: `follows transaction ${last.up_to_tx}, hash ${last.hash}`,
    found: `follows transaction ${seal.after_tx}, hash ${seal.previous}`,
  });
}

/** Recomputed from the seal's own `previous`, so that one change is not reported for every later seal. */
async function reportChange(db: Queryable, chain: Chain, seal: Seal, report: Report): Promise<void> {
  const made = await remade(db, chain, seal);
  if (made.count === seal.count && made.hash === seal.hash) return;
  report({
    check: 'seal_broken',
    what: `seal ${seal.id}: ${chain.counted} of transactions ${seal.after_tx} to before ${seal.up_to_tx}`,
    expected: `${seal.count} ${chain.counted}, hash ${seal.hash}`,
    found: `${made.count} ${chain.counted}, hash ${made.hash}`,
  });
}

async function reportCounter(db: Queryable, chain: Chain, report: Report): Promise<void> {
  const ahead = await transactionAhead(db, chain);
  if (!ahead) return;
  report({
    check: 'counter_behind',
    what: 'the transaction counter of the server',
    expected: `at least ${ahead.written}`,
    found: ahead.counter,
  });
}
