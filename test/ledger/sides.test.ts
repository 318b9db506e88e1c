import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BUCKETS } from '../../src/core/balance/schema.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import { countSides, listSides, type SideFilters, type SidePlace, type Stretch } from '../../src/money/ledger/history.ts';
import { type Books, openBooks } from './books.ts';

/** The history of a balance under every filter and from every position, compared with a list of the sides in memory. */
interface Line {
  team_id: bigint;
  journal_id: bigint;
  kind: string;
  source_id: string;
  subject_id: string;
  created_at: Date;
  line: number;
  currency: string;
  debit: Account;
  credit: Account;
  amount_minor: bigint;
}

const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n));
const KINDS = ['payment.succeeded', 'hold.released:XAF:available', 'hold.released', 'payment.succeeded', 'transfer.reserved'];
const MOVES: [Account, Account][] = [
  ['clearing', 'pending'],
  ['pending', 'fee_income'],
  ['pending', 'available'],
  ['available', 'available:acct_1'],
  ['hold', 'hold:acct_1'],
];

/** The names of the other team's sources run the other way. */
function sourceOf(team_id: bigint, n: number): string {
  const at = team_id === 1n ? n : 9 - n;
  return `s${at % 7}${at > 6 ? 'b' : ''}`;
}

/** Ten journals for each team, with the same ids: of the other team they mean something else. Times are not in the order of ids. */
const LINES: Line[] = [1n, 2n].flatMap((team_id) =>
  Array.from({ length: 10 }, (_, n) => n).flatMap((n) =>
    Array.from({ length: 1 + (n % 3) }, (_, i): Line => {
      const [debit, credit] = MOVES[(n + i + Number(team_id)) % MOVES.length] as [Account, Account];
      const kind = KINDS[n % KINDS.length] as string;
      return {
        ...{ team_id, journal_id: BigInt(10 + n), kind, source_id: sourceOf(team_id, n), subject_id: `x${n}` },
        ...{ created_at: minute(n ^ 1), line: i + 1, currency: (n + i) % 4 === 0 ? 'GHS' : 'XAF' },
        ...{ debit, credit, amount_minor: BigInt(100 * n + i + 1) * team_id },
      };
    }),
  ),
);

interface Found extends SidePlace {
  journal_id: bigint;
  created_at: Date;
  account: Account;
  currency: string;
  amount_minor: bigint;
  subject_id: string;
}

/** All sides of the first team, oldest first; within a line credit comes first. */
const SIDES: Found[] = LINES.filter(({ team_id }) => team_id === 1n).flatMap((line) => {
  const { journal_id, kind, source_id, subject_id, created_at, currency } = line;
  const rest = { journal_id, kind, source_id, subject_id, created_at, currency, line: line.line };
  return [
    { ...rest, side: 'credit', account: line.credit, amount_minor: line.amount_minor } as const,
    { ...rest, side: 'debit', account: line.debit, amount_minor: -line.amount_minor } as const,
  ];
});

function matching({ accounts, currencies, kind, from, before, ids }: SideFilters): Found[] {
  return SIDES.filter(
    (side) =>
      accounts.includes(side.account) &&
      currencies.includes(side.currency) &&
      (kind === null || side.kind.split(':')[0] === kind) &&
      (from === null || side.created_at >= from) &&
      (before === null || side.created_at < before) &&
      (ids.from === null || side.journal_id >= ids.from) &&
      (ids.to === null || side.journal_id < ids.to),
  );
}

function pageOf(found: Found[], { order, place, inclusive, offset, limit }: Stretch): Found[] {
  const rows = order === 'newest' ? found.toReversed() : found;
  const all = order === 'newest' ? SIDES.toReversed() : SIDES;
  const start = place ? all.findIndex((side) => isAt(side, place)) + (inclusive ? 0 : 1) : 0;
  return rows.filter((side) => all.indexOf(side) >= start).slice(offset, offset + limit);
}

function isAt(side: Found, { source_id, kind, line, side: of }: SidePlace): boolean {
  return side.source_id === source_id && side.kind === kind && side.line === line && side.side === of;
}

let books: Books;
before(async () => {
  books = await openBooks();
  for (const line of LINES) {
    const { team_id, journal_id } = line;
    if (line.line === 1)
      await books.owner.run(sql`
        insert into journals (team_id, id, kind, source_id, subject_id, created_at) overriding system value
        values (${team_id}, ${journal_id}, ${line.kind}, ${line.source_id}, ${line.subject_id}, ${line.created_at})`);
    await books.owner.run(sql`
      insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
      values (${team_id}, ${journal_id}, ${line.line}, ${line.currency}, ${line.debit}, ${line.credit}, ${line.amount_minor})`);
  }
});
after(() => books.close());

const ALL: Stretch = { order: 'newest', place: null, inclusive: false, offset: 0, limit: 99 };
const EVERYTHING: SideFilters = {
  ...{ accounts: [...BUCKETS], currencies: ['XAF', 'GHS'], kind: null, from: null, before: null },
  ids: { from: null, to: null },
};
const ACCOUNTS: Account[][] = [
  [...BUCKETS],
  ['pending'],
  ['available:acct_1'],
  ['available', 'hold', 'hold:acct_1'],
  ['reserved'],
];
const NO_IDS = { from: null, to: null };
const KINDS_ASKED = [null, 'payment.succeeded', 'hold.released', 'transfer.reserved', 'hold', 'hold.released:XAF:available'];
const PERIODS = [
  { from: null, before: null, ids: NO_IDS },
  { from: minute(3), before: null, ids: NO_IDS },
  { from: null, before: minute(6), ids: NO_IDS },
  { from: minute(2), before: minute(8), ids: { from: 12n, to: 18n } },
  { from: null, before: null, ids: { from: 13n, to: null } },
  { from: null, before: null, ids: { from: null, to: 15n } },
];

async function compare(filters: SideFilters, stretch: Stretch): Promise<void> {
  // As the owner, whom no policy confines to a team.
  const found = await listSides(books.owner, 1n, filters, stretch);
  const wanted = pageOf(matching(filters), stretch).map(({ journal_id: _, ...side }) => side);
  assert.deepEqual(
    found.map((side) => ({ ...side, amount_minor: BigInt(side.amount_minor) })),
    wanted,
    JSON.stringify([filters, stretch], (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

for (const kind of KINDS_ASKED) {
  test(`sides of ${kind ?? 'any kind'}: those of the accounts, currencies, times and ids, newest first, and their number`, async () => {
    for (const accounts of ACCOUNTS) {
      for (const currencies of [['XAF', 'GHS'], ['GHS'], ['USD']]) {
        for (const period of PERIODS) {
          const filters = { accounts, currencies, kind, ...period };
          await compare(filters, ALL);
          assert.equal(await countSides(books.owner, 1n, filters), matching(filters).length);
        }
      }
    }
  });
}

for (const kind of [null, 'payment.succeeded', 'hold.released']) {
  test(`pages of ${kind ?? 'any kind'} begin at their position, in both directions`, async () => {
    const filters = { ...EVERYTHING, kind };
    const places = [null, ...matching(filters)];
    for (const order of ['newest', 'oldest'] as const) {
      for (const [i, place] of places.entries()) {
        for (const inclusive of place ? [false, true] : [false]) {
          const sizes = i % 2 === 0 ? { offset: 0, limit: 3 } : { offset: 1, limit: 2 };
          await compare(filters, { order, place, inclusive, ...sizes });
        }
      }
    }
  });
}
