import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { restorePeriod } from '../../src/core/archive/restore.ts';
import { archivePayments } from '../../src/core/archive/service.ts';
import { ArchivedPeriod } from '../../src/core/reconciliation/archived.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { sql } from '../../src/kit/sql.ts';
import { countArchived } from '../archive/fixture.ts';
import { countOf, Ledgers, line, NOON, OPERATOR } from './fixture.ts';

/** Refunds whose payments were archived long before the period of the statement. */
const DAY_MS = 86_400_000;
const OLD = NOON - 400 * DAY_MS;
const PERIOD = { from: new Date(OLD - 3_600_000), to: new Date(OLD + 3_600_000) };

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());
afterEach(async () => {
  await books.db.run(sql`truncate payments, attempts, archived_attempts, refunds, audit_entries cascade`);
});

async function archive(): Promise<void> {
  await books.db.run(sql`update attempts set payer = null`);
  const request = { before: new Date(NOON - 365 * DAY_MS), dry_run: false, progress: () => undefined };
  await archivePayments({ clock: systemClock }, books.store, request, OPERATOR);
}

const refundLine = (key: string) => line('refund', key, { at: new Date(OLD).toISOString() });

test('an archived payment with a refund in the period is restored, and no other', async () => {
  const listed = await books.refund('succeeded', 'succeeded', OLD, OLD - 150 * DAY_MS);
  const missing = await books.refund('succeeded', 'succeeded', OLD, OLD - 150 * DAY_MS);
  await books.attempt('succeeded', { at: OLD - 150 * DAY_MS });
  await archive();
  assert.equal(await countArchived(books.db, books.team_id), 3);
  const { run, breaks } = await books.reconcile([refundLine(listed.key)], PERIOD);
  assert.equal(countOf(run, 'matched'), 1);
  assert.deepEqual(
    breaks.map(({ kind, subject_id }) => [kind, subject_id]),
    [['missing_there', missing.id]],
  );
  assert.equal(await countArchived(books.db, books.team_id), 1);
});

test('an archived payment is restored whose refund was created long before a line names its key', async () => {
  const { key } = await books.refund('succeeded', 'succeeded', OLD - 70 * DAY_MS, OLD - 150 * DAY_MS);
  await archive();
  const { run, breaks } = await books.reconcile([refundLine(key)], PERIOD);
  assert.deepEqual([countOf(run, 'matched'), breaks], [1, []]);
});

test('after the period that the error names is restored, the statement is compared', async () => {
  const { key } = await books.refund('succeeded', 'succeeded', OLD, OLD - 150 * DAY_MS);
  const paid = await books.attempt('succeeded', { at: OLD });
  await archive();
  const lines = [refundLine(key), line('collect', paid.key, { at: new Date(OLD).toISOString() })];
  const error = await books.reconcile(lines, PERIOD).then(
    () => assert.fail('the period is archived'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ArchivedPeriod);
  const restoring = { deps: { clock: systemClock }, store: books.store, team_id: books.team_id, by: OPERATOR };
  await restorePeriod(restoring, { from: new Date(error.from), before: new Date(error.before) }, () => undefined);
  const { run, breaks } = await books.reconcile(lines, PERIOD);
  assert.deepEqual([countOf(run, 'matched'), breaks], [2, []]);
});
