import type { Queryable } from '../../kit/sql.ts';
import { type Chain, followsAllTeams, groupSealsAfter, remade, type Seal, sealsAfter, transactionAhead } from './store.ts';

const PAGE = 500;

/** The newest seals. Noted outside the database, they later prove that nothing before them was changed. */
export interface ChainEnd {
  seals: number;
  /** Hexadecimal: the one that covers the newest transaction. Null while nothing is sealed. */
  last_seal: string | null;
  /** The last seal of each chain: of all teams, as earlier versions sealed, and of each group of teams. */
  last_seals: { team_group: number | null; hash: string }[];
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

type Position = Pick<Seal, 'up_to_tx' | 'hash'>;

/**
 * Recomputes every seal from the rows it covers, one after the other: the chain of all teams, then that of each group.
 * @param checked called with the number of seals checked so far
 * @returns the number of seals and the last ones
 */
export async function verifyChain(
  db: Queryable,
  chain: Chain,
  report: Report,
  checked: (seals: number) => void = () => undefined,
): Promise<ChainEnd> {
  const ends: Seal[] = [];
  let seals = 0;
  let last: Position = START;
  const visit = async (seal: Seal) => {
    const before = ends.at(-1);
    if (before?.team_group === seal.team_group) ends.pop();
    else if (seal.team_group !== null) last = await beginningOf(db, chain, seal);
    reportGap(seal, last, report);
    await reportChange(db, chain, seal, report);
    last = seal;
    ends.push(seal);
    seals += 1;
    checked(seals);
  };
  for (let page = await sealsAfter(db, chain, 0n, PAGE); page.length > 0; ) {
    for (const seal of page) await visit(seal);
    page = await sealsAfter(db, chain, (page.at(-1) as Seal).n, PAGE);
  }
  for (let page = await groupSealsAfter(db, chain, { team_group: -1, n: 0n }, PAGE); page.length > 0; ) {
    for (const seal of page) await visit(seal);
    const { team_group, n } = page.at(-1) as Seal;
    page = await groupSealsAfter(db, chain, { team_group: team_group as number, n }, PAGE);
  }
  await reportCounter(db, chain, report);
  const newest = ends.toSorted((a, b) => (BigInt(a.up_to_tx) < BigInt(b.up_to_tx) ? -1 : 1)).at(-1);
  return { seals, last_seal: newest?.hash ?? null, last_seals: ends.map(({ team_group, hash }) => ({ team_group, hash })) };
}

/** Returns where the chain of a group has to begin: at a seal of all teams, or at the start if its first seal follows none. */
async function beginningOf(db: Queryable, chain: Chain, first: Seal): Promise<Position> {
  return (await followsAllTeams(db, chain, first)) ? { up_to_tx: first.after_tx, hash: first.previous } : START;
}

/** Returns the lines that a command prints for the newest seals. */
export function endText({ last_seals }: ChainEnd): string {
  if (last_seals.length === 0) return '';
  const lines = last_seals.map(
    ({ team_group, hash }) => `\n         ${team_group === null ? 'all teams' : `group ${team_group}`}: ${hash}`,
  );
  return `\n         last seals, of which a copy kept elsewhere proves later that nothing before them was changed:${lines.join('')}`;
}

function nameOf({ team_group, n }: Seal): string {
  return team_group === null ? `seal ${n}` : `seal ${team_group}/${n}`;
}

function reportGap(seal: Seal, last: Position, report: Report): void {
  if (seal.after_tx === last.up_to_tx && seal.previous === last.hash) return;
  report({
    check: 'chain_broken',
    what: nameOf(seal),
    expected: `follows transaction ${last.up_to_tx}, hash ${last.hash}`,
    found: `follows transaction ${seal.after_tx}, hash ${seal.previous}`,
  });
}

/** Reports a changed seal. It is recomputed from its own `previous`, so that one change is not reported for every later seal. */
async function reportChange(db: Queryable, chain: Chain, seal: Seal, report: Report): Promise<void> {
  const made = await remade(db, chain, seal);
  if (made.count === seal.count && made.hash === seal.hash) return;
  report({
    check: 'seal_broken',
    what: `${nameOf(seal)}: ${chain.counted} of transactions ${seal.after_tx} to before ${seal.up_to_tx}`,
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
