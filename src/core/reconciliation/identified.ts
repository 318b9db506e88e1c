import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Tx } from '../../kit/sql.ts';
import { type Journal, post } from '../../money/ledger/post.ts';
import { suspenseKey, suspenseOf } from '../../money/ledger/suspense.ts';
import { correctionsOf, intoHold } from './corrections.ts';
import { identify, lockUnidentified } from './identified-store.ts';
import type { Books } from './matching-store.ts';
import type { BreakRow } from './schema.ts';
import { settlementOf } from './settle.ts';
import { type Outcome, writeOutcomes } from './store.ts';

const PAGE = 5_000;

/**
 * Takes lines out of suspense that were set aside as missing and are identified by now: their money is posted by the attempt,
 * payout or refund that has their reference. The journal is the one of a manual resolution as `undone`, so each line is taken
 * out once, and never after a person has resolved it. Each page is a transaction with its audit entry.
 * @param since lines of money that moved earlier are left to a person
 * @returns whether something was posted
 */
export async function undoIdentified(
  deps: { clock: Clock },
  store: Pick<Store, 'db'>,
  books: Books,
  since: Date,
  by: Actor,
): Promise<boolean> {
  let any = false;
  for (let after: bigint | null = 0n; after !== null; ) {
    const from: bigint = after;
    const { posted, next }: Page = await store.db.transaction(async (tx) => {
      const page = await undoPage(tx, books, since, from);
      const { team_id, run_id: resource_id } = books;
      if (page.posted) await record(tx, by, { team_id, action: 'reconciliation.apply', resource_id, at: deps.clock.now() });
      return page;
    });
    any ||= posted;
    after = next;
  }
  return any;
}

interface Page {
  posted: boolean;
  /** The number after which the next page begins, or null. */
  next: bigint | null;
}

async function undoPage(tx: Tx, books: Books, since: Date, after: bigint): Promise<Page> {
  const lines = await lockUnidentified(tx, books, since, after, PAGE);
  const found = lines.length > 0 ? await identify(tx, books, lines) : new Map<bigint, string>();
  const posted = found.size > 0 && (await undo(tx, books, lines, found));
  return { posted, next: lines.length < PAGE ? null : (lines.at(-1)?.id ?? null) };
}

/** @returns whether something was posted */
async function undo(tx: Tx, books: Books, lines: readonly BreakRow[], found: Map<bigint, string>): Promise<boolean> {
  const { team_id, provider_account } = books;
  const known = lines
    .filter(({ id }) => found.has(id))
    .flatMap((row) =>
      correctionsOf({ team_id, id: row.run_id, provider_account }, row).map((correction) => ({ row, correction })),
    )
    .map((one) => ({ ...one, undone: settlementOf(one.correction, 'undone') }));
  const before = await suspenseOf(
    tx,
    team_id,
    known.flatMap(({ correction, undone }) => [correction, undone]),
  );
  const isSettled = (undone: Journal) => before.has(suspenseKey(undone));
  // Another statement may have booked another amount of the same line.
  const held = known.filter(({ correction }) => before.get(suspenseKey(correction)) === intoHold(correction));
  // Several runs may have a break about the same line.
  const journals = new Map(held.map(({ undone }) => [suspenseKey(undone), undone]));
  const posted = await post(
    tx,
    [...journals.values()].filter((undone) => !isSettled(undone)),
  );
  const outcomes = held.map(({ row, undone }): Outcome => {
    const outcome = `identified as ${found.get(row.id)} in ${books.run_id}: out of hold`;
    return { row, state: 'settled', outcome: isSettled(undone) ? 'settled after an earlier run' : outcome };
  });
  await writeOutcomes(tx, outcomes);
  return posted.length > 0;
}
