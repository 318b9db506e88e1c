import type { Minor } from '../../kit/money.ts';
import type { Queryable } from '../../kit/sql.ts';
import { type Change, type Days, type Owner, readChanges } from '../../money/ledger/days.ts';
import type { Bucket } from './schema.ts';

/** One day of a statement. Amounts are in hundredths. */
export interface StatementDay {
  /** UTC, `2026-11-23`. */
  day: string;
  opening_minor: Minor;
  /** Sum of the kinds that increased the balance on this day. */
  in_minor: Minor;
  /** Sum of those that decreased it; zero or negative. */
  out_minor: Minor;
  closing_minor: Minor;
  /** Net amount of each kind of change, without kinds whose net amount is zero; the largest increase first. */
  kinds: { kind: string; amount_minor: Minor }[];
}

/** The days of a period on which a balance changed, the oldest first. */
export interface Statement {
  opening_minor: Minor;
  days: StatementDay[];
  closing_minor: Minor;
  /** Whether there are changes before the period. */
  earlier: boolean;
}

/**
 * Returns the statement of one balance of a team or a subaccount, or of all of them together, exact in one snapshot.
 * @param bucket null: the total
 * @returns null while the changes are not added up ({@link readChanges})
 */
export async function readStatement(db: Queryable, owner: Owner, bucket: Bucket | null, days: Days): Promise<Statement | null> {
  const changes = await readChanges(db, owner, days);
  return changes && statementOf(changes.filter(({ account }) => bucket === null || account === bucket));
}

function statementOf(changes: readonly Change[]): Statement {
  const before = changes.filter(({ day }) => day === null);
  const opening_minor = sum(before);
  const byDay = Map.groupBy(
    changes.filter((change) => change.day !== null),
    ({ day }) => day as string,
  );
  const days: StatementDay[] = [];
  // The changes are sorted by day.
  for (const [day, ofDay] of byDay) {
    const next = dayOf(day, days.at(-1)?.closing_minor ?? opening_minor, ofDay);
    if (next.kinds.length > 0) days.push(next);
  }
  return { opening_minor, days, closing_minor: days.at(-1)?.closing_minor ?? opening_minor, earlier: before.length > 0 };
}

function dayOf(day: string, opening_minor: Minor, changes: readonly Change[]): StatementDay {
  const kinds = [...Map.groupBy(changes, ({ kind }) => kind)]
    .map(([kind, ofKind]) => ({ kind, amount_minor: sum(ofKind) }))
    .filter(({ amount_minor }) => amount_minor !== 0n)
    .sort((a, b) => Number(b.amount_minor - a.amount_minor));
  const in_minor = sum(kinds.filter(({ amount_minor }) => amount_minor > 0n));
  const out_minor = sum(kinds.filter(({ amount_minor }) => amount_minor < 0n));
  return { day, opening_minor, in_minor, out_minor, closing_minor: opening_minor + in_minor + out_minor, kinds };
}

function sum(changes: readonly { amount_minor: Minor }[]): Minor {
  return changes.reduce((total, { amount_minor }) => total + amount_minor, 0n);
}
