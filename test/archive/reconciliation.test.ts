import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { archivePayments } from '../../src/core/archive/service.ts';
import { ArchivedPeriod } from '../../src/core/reconciliation/archived.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { countOf, Ledgers, line, NOON } from '../reconciliation/fixture.ts';
import { countArchived, OPERATOR } from './fixture.ts';

/** A statement that names archived attempts is compared as if they were not archived, or not at all. */
const DAY_MS = 86_400_000;
const OLD = NOON - 400 * DAY_MS;

let books: Ledgers;
before(async () => {
  books = await Ledgers.open();
});
after(() => books.drop());

async function archive(): Promise<void> {
  await books.db.run(sql`update attempts set payer = null`);
  const request = { before: new Date(NOON - 365 * DAY_MS), dry_run: false, progress: () => undefined };
  await archivePayments({ clock: systemClock }, books.store, request, OPERATOR);
}

describe('a statement and the archive', () => {
  test('a line about an archived attempt is compared with it by its key', async () => {
    const paid = await books.attempt('succeeded', { at: OLD });
    const failed = await books.attempt('failed', { at: OLD });
    const other = await books.attempt('succeeded', { at: OLD });
    await archive();
    assert.equal(await countArchived(books.db, books.team_id), 3);
    const { run, breaks } = await books.reconcile([line('collect', paid.key), line('collect', failed.key)]);
    assert.equal(countOf(run, 'matched'), 1);
    assert.deepEqual(
      breaks.map(({ kind, subject_id }) => [kind, subject_id]),
      [['late', failed.id]],
    );
    assert.equal(await countArchived(books.db, books.team_id), 1, other.of);
  });

  test('a statement of a period that is archived is not compared: nothing of it is reported as missing', async () => {
    await books.attempt('succeeded', { at: OLD });
    await archive();
    const archived = await countArchived(books.db, books.team_id);
    const [from, to] = [new Date(OLD - DAY_MS), new Date(OLD + DAY_MS)];
    await assert.rejects(books.reconcile([], { from, to }), ArchivedPeriod);
    assert.equal(await countArchived(books.db, books.team_id), archived);
  });

  test('a run that archives while a statement is compared waits for its end: a line about an old attempt is not missing', async () => {
    const paid = await books.attempt('succeeded', { at: OLD });
    const waiting = async () => {
      const rows = await books.db.all(sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return rows.length;
    };
    let archiving: Promise<void> | undefined;
    const beside = (tx: Tx): Tx =>
      new Proxy(tx, {
        get: (target, name: 'run') =>
          name === 'run'
            ? async (statement: Sql) => {
                if (statement.text.includes('temporary table repeated_lines')) {
                  archiving = archive();
                  await Promise.race([archiving, until(waiting, (count) => count > 0)]);
                }
                return target.run(statement);
              }
            : target[name],
      });
    const transaction = <T>(work: (tx: Tx) => Promise<T>) => books.db.transaction((tx) => work(beside(tx)));
    const store = { ...books.store, db: { ...books.db, transaction } as typeof books.db };
    const { run, breaks } = await books.reconcile([line('collect', paid.key)], {}, store);
    await archiving;
    assert.deepEqual([countOf(run, 'matched'), breaks.length], [1, 0]);
    const archived = await books.db.all(sql`select 1 from payments where id = ${paid.of} and archived is not null`);
    assert.equal(archived.length, 1);
  });

  test('a recent statement is compared whatever is archived', async () => {
    const recent = await books.attempt('succeeded');
    await archive();
    const { run, breaks } = await books.reconcile([line('collect', recent.key)]);
    assert.deepEqual([countOf(run, 'matched'), breaks.length], [1, 0]);
  });
});
