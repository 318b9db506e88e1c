import type { Minor } from '../../kit/money.ts';
import type { Queryable } from '../../kit/sql.ts';
import { type Account, kindOf } from './accounts.ts';
import { reportBadLines } from './bad-lines.ts';
import { bookedSums, booksOf, type HeldAccount, LAST_ID, lastOfChunk } from './books.ts';
import { decimal } from './decimal.ts';
import type { Difference, Report } from './differences.ts';

/** Journals checked in one statement, which takes some tenths of a second. */
const CHUNK = 20_000;

interface Seen {
  journals: number;
  lines: number;
}

/**
 * Compares a team's balances with the sum of its lines. The balances are read in one snapshot, less the postings of
 * transactions that were open then. All older lines can no longer change and are summed chunk by chunk.
 * @param checked called with the number of journals of each chunk
 * @returns the number of journals and lines checked
 */
export async function verifyTeam(
  db: Queryable,
  team_id: bigint,
  report: Report,
  checked: (journals: number) => void = () => undefined,
): Promise<Seen> {
  const { closed_before, accounts } = await booksOf(db, team_id);
  const booked = new Map<string, Minor>();
  const seen = { journals: 0, lines: 0 };
  for (let after = 0n; after < LAST_ID; ) {
    const to = await lastOfChunk(db, team_id, after, CHUNK);
    const range = { team_id, after, to };
    await reportBadLines(db, range, report);
    const { flows, journals, lines } = await bookedSums(db, range, closed_before);
    const add = (name: string, by_minor: Minor) => booked.set(name, (booked.get(name) ?? 0n) + by_minor);
    for (const { currency, debit, credit, amount_minor } of flows) {
      add(`${currency} ${debit}`, -amount_minor);
      add(`${currency} ${credit}`, amount_minor);
    }
    seen.journals += journals;
    seen.lines += lines;
    checked(journals);
    after = to;
  }
  const found = [
    ...unknown(team_id, booked),
    ...drifts(team_id, accounts, booked),
    ...leaks(team_id, accounts),
    ...unguarded(team_id, accounts),
  ];
  for (const difference of found) report(difference);
  return seen;
}

function unknown(team_id: bigint, booked: ReadonlyMap<string, Minor>): Difference[] {
  return [...booked.keys()]
    .filter((name) => kindOf(name.slice(name.indexOf(' ') + 1) as Account) === undefined)
    .map((what) => ({
      check: 'impossible_line',
      team_id,
      what,
      expected: 'an account of the chart',
      found: 'lines of another',
    }));
}

/** Compares the balance of each account with the sum of its lines. */
function drifts(team_id: bigint, accounts: HeldAccount[], booked: ReadonlyMap<string, Minor>): Difference[] {
  const held = new Map(accounts.map((one) => [`${one.currency} ${one.account}`, one.closed_minor]));
  return [...new Set([...held.keys(), ...booked.keys()])].flatMap((what) => {
    const [expected, found] = [booked.get(what) ?? 0n, held.get(what) ?? 0n];
    return expected === found ? [] : [{ check: 'balance_drift', team_id, what, ...shown(expected, found) }];
  });
}

/** Checks that all accounts of a currency sum to zero, because every line debits as much as it credits. */
function leaks(team_id: bigint, accounts: HeldAccount[]): Difference[] {
  const byCurrency = Map.groupBy(accounts, ({ currency }) => currency);
  return [...byCurrency].flatMap(([what, held]) => {
    const sum = held.reduce((total, { held_minor }) => total + held_minor, 0n);
    return sum === 0n ? [] : [{ check: 'currency_sum', team_id, what, ...shown(0n, sum) }];
  });
}

function unguarded(team_id: bigint, accounts: HeldAccount[]): Difference[] {
  return accounts
    .filter(({ account }) => kindOf(account as Account) === 'guarded')
    .flatMap(({ currency, account, held_minor, guarded }) => {
      const what = `${currency} ${account}`;
      const found: Difference[] = [];
      if (held_minor < 0n)
        found.push({ check: 'below_zero', team_id, what, expected: 'zero or more', found: decimal(held_minor) });
      if (!guarded) found.push({ check: 'not_guarded', team_id, what, expected: 'a guarded row', found: 'none' });
      return found;
    });
}

function shown(expected: Minor, found: Minor): { expected: string; found: string } {
  return { expected: decimal(expected), found: decimal(found) };
}
