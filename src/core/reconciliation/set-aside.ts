import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { type Journal, post } from '../../money/ledger/post.ts';
import { suspenseKey, suspenseOf } from '../../money/ledger/suspense.ts';
import { correctionsOf, intoHold, OUTGOING_KINDS } from './corrections.ts';
import type { BreakRow, Run } from './schema.ts';
import { settlementOf } from './settle.ts';
import {
  bookedOf,
  lockAccount,
  lockOpen,
  lockReported,
  type Named,
  nameOf,
  type Outcome,
  runsWithMoneyOf,
  writeOutcomes,
} from './store.ts';

/** A break with the journals that set its money aside. */
interface Wanted {
  row: BreakRow;
  journals: Journal[];
}

/** The journals of a page that are posted: their names, and what they changed in suspense by {@link suspenseKey}. */
interface Booked {
  names: ReadonlySet<string>;
  held: ReadonlyMap<string, Minor>;
}

/**
 * Sets aside the money of one page of breaks of one kind, if the run is applied, and records which of it is in suspense. The journals, the
 * states of the breaks and the audit entry are one transaction: a run that is killed leaves all of them or none.
 * @returns whether something was posted
 */
export async function setAside(
  deps: { clock: Clock },
  store: Pick<Store, 'db'>,
  run: Run,
  rows: readonly BreakRow[],
  by: Actor,
): Promise<boolean> {
  const due = rows.filter(({ action }) => action === 'correct');
  if (due.length === 0) return false;
  return store.db.transaction(async (tx) => {
    await lockAccount(tx, run);
    const open = (await lockOpen(tx, due)).map((row): Wanted => ({ row, journals: correctionsOf(run, row) }));
    const late = open.map(({ row }) => row).filter(({ kind }) => kind === 'late');
    const reported = run.applied ? await lockReported(tx, late) : new Set<string>();
    const isReported = ({ row }: Wanted) => row.kind === 'late' && reported.has(`${row.subject_id} ${row.leg}`);
    const before = await readBooked(tx, run.team_id, open);
    const wanted = open.filter((one) => !isReported(one));
    const posted = run.applied ? await post(tx, unbooked(wanted, before)) : [];
    const after = posted.length > 0 ? await readBooked(tx, run.team_id, open) : before;
    await writeOutcomes(tx, [
      ...open
        .filter(isReported)
        .map(({ row }): Outcome => ({ row, state: 'refused', outcome: 'reported meanwhile: compare again' })),
      ...wanted.flatMap((one) => setAsideOutcome(one, before, after)),
    ]);
    await refuseOthers(tx, run, wanted, after);
    if (posted.length > 0) {
      const at = deps.clock.now();
      await record(tx, by, { team_id: run.team_id, action: 'reconciliation.apply', resource_id: run.id, at });
    }
    return posted.length > 0;
  });
}

async function readBooked(tx: Tx, team_id: bigint, wanted: readonly Wanted[]): Promise<Booked> {
  const journals = wanted.flatMap((one) => one.journals);
  const asked = [...journals.flatMap(namesOf), ...journals.map((journal) => settlementOf(journal, 'undone'))];
  return { names: await bookedOf(tx, team_id, asked), held: await suspenseOf(tx, team_id, asked) };
}

/** Returns the names under which the money may be booked: in another statement a payout may be a refund. */
function namesOf({ source_id, kind }: Journal): Named[] {
  const kinds = OUTGOING_KINDS.includes(kind) ? OUTGOING_KINDS : [kind];
  return kinds.map((one) => ({ source_id, kind: one }));
}

/**
 * Returns the journals to post. When several breaks are about the same money, only the journals of the first are posted, whatever the
 * amounts. If another statement has booked a part of a break, the break is left out: the rest would be in another currency.
 */
function unbooked(wanted: readonly Wanted[], { names }: Booked): Journal[] {
  const taken = new Set(names);
  return wanted.flatMap(({ journals }) => {
    const own = journals.flatMap(namesOf).map(nameOf);
    if (own.some((name) => taken.has(name))) return [];
    for (const name of own) taken.add(name);
    return journals;
  });
}

/** Whether exactly the money of the break is booked: its amounts in its currencies. */
function isBooked({ journals }: Wanted, { held }: Booked): boolean {
  return journals.every((journal) => held.get(suspenseKey(journal)) === intoHold(journal));
}

/** Returns the outcome for a break whose money is booked. */
function setAsideOutcome(one: Wanted, before: Booked, after: Booked): Outcome[] {
  if (!isBooked(one, after)) return [];
  const { row, journals } = one;
  if (journals.some((journal) => after.held.has(suspenseKey(settlementOf(journal, 'undone')))))
    return [{ row, state: 'settled', outcome: 'settled after an earlier run' }];
  return [{ row, state: 'held', outcome: isBooked(one, before) ? 'in hold since an earlier run' : 'in hold' }];
}

/** Marks breaks as refused whose money is booked with another amount, currency or type. Money is set aside once: a person has to decide. */
async function refuseOthers(tx: Tx, run: Run, wanted: readonly Wanted[], booked: Booked): Promise<void> {
  const others = wanted
    .filter((one) => !isBooked(one, booked) && one.journals.flatMap(namesOf).some((name) => booked.names.has(nameOf(name))))
    .map(({ row }) => row);
  const runs = await runsWithMoneyOf(tx, run, others);
  const outcomes = others.map((row): Outcome => {
    const where = runs.get(row.id) ?? 'an earlier run';
    return { row, state: 'refused', outcome: `set aside in ${where} with another amount, currency or type` };
  });
  await writeOutcomes(tx, outcomes);
}
