import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PaymentReader } from '../../src/core/payments/read.ts';
import { Problem } from '../../src/kit/errors.ts';
import { type Db, type Sql, sql } from '../../src/kit/sql.ts';
import type { WholeStore } from '../../src/platform/db/stores.ts';
import { type Books, openBooks } from '../ledger/books.ts';

/** Concurrent reads share a statement; nobody gets what another one asked for. */
const TEAMS = [1n, 2n, 3n];
const PAYMENTS = 40;
const idOf = (team_id: bigint, n: number) => `trx_test_${String(team_id)}${String(n).padStart(25, '0')}`;

let books: Books;
/** Statements that the reader sent, and the scope of each. */
const sent: { scope: bigint | 'all_teams'; refs: number }[] = [];
let fails = (_statement: Sql): boolean => false;

function watched(db: Db, scope: bigint | 'all_teams'): Db {
  const all = async <Row>(statement: Sql): Promise<Row[]> => {
    const [first] = statement.values;
    sent.push({ scope, refs: Array.isArray(first) ? first.length : 1 });
    if (fails(statement)) throw new Error('the statement failed');
    return db.all<Row>(statement);
  };
  return { ...db, all };
}

function newReader(): PaymentReader {
  const whole: WholeStore = {
    environment: 'sandbox',
    db: watched(books.pool.seeing('all_teams'), 'all_teams'),
    of: (team_id) => ({ environment: 'sandbox', db: watched(books.pool.seeing(team_id), team_id) }),
  };
  sent.length = 0;
  fails = () => false;
  return new PaymentReader(whole);
}

before(async () => {
  books = await openBooks();
  for (const team_id of TEAMS) {
    // The same id for each team, too: only the team tells them apart.
    await books.owner.run(sql`
      insert into payments (team_id, id, reference, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
      select ${team_id}, id, 'of team ' || ${String(team_id)}, 100, 'XAF', 'key', 'req', now(), now(), now()
      from unnest(${[...Array.from({ length: PAYMENTS }, (_, n) => idOf(team_id, n)), idOf(9n, 9)]}::text[]) id`);
  }
});
after(() => books.close());

const outcome = async (reading: Promise<{ id: string; reference: string | null; attempts: object[] }>) => {
  try {
    const { id, reference, attempts } = await reading;
    return [id, reference, attempts];
  } catch (error) {
    return error instanceof Problem ? error.status : (error as Error).message;
  }
};

/** Mixes the teams in an order that is the same in each run. */
const order = ({ team_id, id }: { team_id: bigint; id: string }) =>
  createHash('sha1').update(`${team_id} ${id}`).digest().readUInt32BE();

test('each of many concurrent callers gets the payment of its own team, or 404', async () => {
  const reader = newReader();
  const asked = TEAMS.flatMap((team_id) => [
    ...Array.from({ length: PAYMENTS }, (_, n) => ({ team_id, id: idOf(team_id, n), found: true })),
    ...Array.from({ length: PAYMENTS }, (_, n) => ({ team_id, id: idOf(TEAMS[Number(team_id) % 3] as bigint, n), found: false })),
    { team_id, id: idOf(9n, 9), found: true },
    { team_id, id: idOf(team_id, 0), found: true },
    { team_id, id: 'trx_not_an_id', found: false },
  ]).sort((a, b) => order(a) - order(b));
  const answers = await Promise.all(asked.map(({ team_id, id }) => outcome(reader.read(team_id, id))));
  const expected = asked.map(({ team_id, id, found }) => (found ? [id, `of team ${team_id}`, []] : 404));
  assert.deepEqual(answers, expected);
  assert.ok(sent.length < asked.length / 4, `${sent.length} statements`);
});

test('a single read, and reads of one team, see only that team', async () => {
  const reader = newReader();
  await reader.read(1n, idOf(1n, 1));
  await Promise.all(Array.from({ length: 9 }, (_, n) => reader.read(2n, idOf(2n, n))));
  assert.deepEqual(sent, [
    { scope: 1n, refs: 1 },
    { scope: 2n, refs: 9 },
  ]);
});

test('a read sees what was committed before it was asked, although an earlier statement is running', async () => {
  const reader = newReader();
  const id = idOf(1n, 5);
  const early = reader.read(1n, id);
  await nextTurn();
  await books.owner.run(sql`update payments set reference = 'changed' where team_id = 1 and id = ${id}`);
  assert.equal((await reader.read(1n, id)).reference, 'changed');
  await early;
});

test('a statement that fails fails only the reads whose own statement fails too', async () => {
  const reader = newReader();
  const bad = idOf(1n, 7);
  fails = ({ values }) => [values[1]].flat().includes(bad);
  const ids = Array.from({ length: 12 }, (_, n) => idOf(1n, n));
  const answers = await Promise.all(ids.map((id) => outcome(reader.read(1n, id))));
  assert.deepEqual(
    answers.map((answer) => (typeof answer === 'string' ? answer : 'read')),
    ids.map((id) => (id === bad ? 'the statement failed' : 'read')),
  );
});
