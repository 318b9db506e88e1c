import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Clock } from '../../kit/clock.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Store } from '../../platform/db/stores.ts';
import { archiveLocked, beginArchiving, type PackedText } from '../payments/archived-store.ts';
import { packArchived, unpackArchived } from '../payments/archived-text.ts';
import type { Reason, Tally } from './schema.ts';
import { type Candidate, type IdRange, type Judged, judge, lockPage, nextTeam, readPage } from './store.ts';

/**
 * Minimum age of payments that are archived, since their last change. Longer than the time in which a payment usually changes: refunds to
 * the number of a payer end after 180 days (src/edge/erasure/sweeps.ts), disputes of cards mostly within 120, and statements are compared
 * within weeks. Later changes are possible and restore the payment.
 */
export const MIN_AGE_MS = 365 * 86_400_000;

/** Maximum payments in one transaction. The transaction is short, so a request that waits for one of these payments is hardly delayed. */
const BATCH = 500;

export interface ArchiveRequest {
  /** Only this team. */
  team?: bigint | undefined;
  /** Payments that were created and last changed before. */
  before: Date;
  /** Counts only. */
  dry_run: boolean;
  progress(tally: Tally): void;
}

/**
 * Archives old payments, batch by batch: each is a transaction, so that a run can be ended at any point and repeated. The payments that
 * cannot be archived yet are left and counted by reason. It runs as the owner of the database: the service cannot delete attempts.
 */
export async function archivePayments(
  deps: { clock: Clock },
  store: Store,
  { team, before, dry_run, progress }: ArchiveRequest,
  by: Actor,
): Promise<Tally> {
  let tally: Tally = { archived: 0, before: 0, left: {}, bytes_before: 0, bytes_after: 0 };
  for await (const team_id of teamsOf(store, team)) {
    const all = {
      team_id,
      after: idPrefix('trx', store.environment),
      to: lowestIdAt('trx', store.environment, before.getTime()),
    };
    for (let range: IdRange | null = all; range !== null; ) {
      const from: IdRange = range;
      const done = await (dry_run
        ? countBatch(store, from, before)
        : store.db.transaction((tx) => archiveBatch(tx, from, before, (id) => entry(tx, deps, by, team_id, id))));
      tally = sumOf(tally, done.tally);
      progress(tally);
      range = done.last === null ? null : { ...from, after: done.last };
    }
  }
  return tally;
}

async function* teamsOf({ db }: Store, team: bigint | undefined): AsyncGenerator<bigint> {
  if (team !== undefined) yield team;
  else for (let id = await nextTeam(db, 0n); id !== null; id = await nextTeam(db, id)) yield id;
}

function entry(tx: Tx, { clock }: { clock: Clock }, by: Actor, team_id: bigint, resource_id: string): Promise<void> {
  return record(tx, by, { team_id, action: 'payment.archive', resource_id, at: clock.now() });
}

interface Batch {
  tally: Tally;
  /** Id after which the next batch begins; null after the last one. */
  last: string | null;
}

/**
 * Archives one batch.
 * @param record writes the audit entry of the batch, which names its last payment
 */
async function archiveBatch(tx: Tx, range: IdRange, before: Date, record: (id: string) => Promise<void>): Promise<Batch> {
  await beginArchiving(tx, range.team_id);
  const page = await lockPage(tx, range, BATCH);
  const judged = await judge(tx, range.team_id, idsOf(page), before);
  const packed = judged.flatMap((one) => packedOf(range.team_id, one));
  const archived = packed.length > 0 ? await archiveLocked(tx, packed) : [];
  const last = archived
    .map(({ id }) => id)
    .sort()
    .at(-1);
  if (last !== undefined) await record(last);
  const [bytes_before, bytes_after] = [total(archived, 'bytes_before'), total(archived, 'bytes_after')];
  const exact = new Set(archived.map(({ id }) => id));
  const left = judged.map(({ id, reason }) => reason ?? (exact.has(id) ? null : 'not_exact'));
  return batchOf(page, left, { archived: archived.length, bytes_before, bytes_after });
}

async function countBatch({ db }: Store, range: IdRange, before: Date): Promise<Batch> {
  const page = await readPage(db, range, BATCH);
  const judged = await judge(db, range.team_id, idsOf(page), before);
  const fit = judged.filter(({ reason }) => reason === null);
  const left = judged.map(({ reason }) => reason);
  return batchOf(page, left, { archived: fit.length, bytes_before: total(fit, 'bytes'), bytes_after: 0 });
}

function idsOf(page: readonly Candidate[]): string[] {
  return page.filter(({ archived, held }) => held && !archived).map(({ id }) => id);
}

/** Escapes that PostgreSQL stores in JSON and may refuse to read: NUL, and halves of a surrogate pair. */
const UNREADABLE = /\\u(?:0000|d[89a-f])/i;

/** Returns the packed text, or an empty list when unpacking would not restore the same text or a statement might fail to read it. */
function packedOf(team_id: bigint, { id, text }: Judged): PackedText[] {
  if (text === null || UNREADABLE.test(text)) return [];
  const body = packArchived(text);
  return unpackArchived(body) === text ? [{ team_id, id, text, body }] : [];
}

function batchOf(page: readonly Candidate[], left: readonly (Reason | null)[], done: Omit<Tally, 'before' | 'left'>): Batch {
  const in_use = page.filter(({ archived, held }) => !held && !archived).map((): Reason => 'in_use');
  const counted: Tally['left'] = {};
  for (const reason of [...left, ...in_use]) if (reason !== null) counted[reason] = (counted[reason] ?? 0) + 1;
  const before = page.filter(({ archived }) => archived).length;
  return { tally: { ...done, before, left: counted }, last: page.length < BATCH ? null : (page.at(-1)?.id ?? null) };
}

function total<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}

function sumOf(one: Tally, other: Tally): Tally {
  const left = { ...one.left };
  for (const [reason, count] of Object.entries(other.left) as [Reason, number][]) left[reason] = (left[reason] ?? 0) + count;
  const sum = (name: 'archived' | 'before' | 'bytes_before' | 'bytes_after') => one[name] + other[name];
  const [archived, before] = [sum('archived'), sum('before')];
  return { archived, before, left, bytes_before: sum('bytes_before'), bytes_after: sum('bytes_after') };
}
