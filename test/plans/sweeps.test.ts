import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { books, dueWork } from '../../src/edge/metrics/queues-store.ts';
import type { Sql } from '../../src/kit/sql.ts';
import { createLog } from '../../src/kit/log.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { controlSweeps, sweepsOf } from '../../src/program/program.ts';
import { type Api, startApi } from '../setup/api.ts';
import { takenBack } from '../setup/taken-back.ts';
import { Shelf } from './rows.ts';
import { type Visits, visitsOf } from './visits.ts';

/**
 * Rows that a statement of a worker may read, however many rows the tables have: a batch, and what belongs to each row of it.
 */
const BOUND = 2_500;
/**
 * What makes partitions reads the catalogue's entries of their columns, indexes and policies, a few hundred for each partition that is
 * missing: of tables by day about a week of them. None of it grows with a team.
 */
const CATALOGUE_BOUND = 15_000;
const ROWS = 20_000;
/** The check of the books reads every balance, one for each subaccount here, and so runs once in five minutes. */
const BALANCES_BOUND = ROWS + BOUND;
/** Rounds after which a sweep has nothing left that is due. */
const MAX_ROUNDS = 400;

let sent: Sql[] = [];
let listening = false;
let api: Api;

before(async () => {
  api = await startApi({
    workers: false,
    watch: (database) => (database === 'live' ? listen : undefined),
  });
  const log = createLog({ level: 'silent', format: 'json' });
  const owner = openPool({ url: api.databases.live, size: 1, log, statement_ms: 120_000 });
  await new Shelf(owner, api.team.id, ROWS).fill();
  await owner.close();
});
after(() => api.stop());

function listen(statement: Sql): null {
  if (listening) sent.push(statement);
  return null;
}

/** Runs the work. @returns the statements that it sent */
async function statementsOf(work: () => Promise<unknown>): Promise<Sql[]> {
  sent = [];
  listening = true;
  try {
    await work();
  } finally {
    listening = false;
  }
  return sent;
}

const isExplainable = ({ text }: Sql) => /^\s*(select|with|update|insert|delete)\b/i.test(text);

function boundOf({ text }: Sql): number {
  if (text.includes('pirogue_make_partitions')) return CATALOGUE_BOUND;
  return text.includes('from balances union all') ? BALANCES_BOUND : BOUND;
}

async function excessesOf(statements: readonly Sql[]): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements.filter(isExplainable)) {
    let visits: Visits[] = [];
    await takenBack(api.deps.stores.live.db, async (tx) => {
      visits = await visitsOf(tx, statement);
    });
    const bound = boundOf(statement);
    for (const { rows, plan } of visits)
      if (rows > bound) found.push(`${rows} rows: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 200)}\n  ${plan}`);
  }
  return found;
}

test('a round of each sweep, purge and seal reads a bounded number of rows', { timeout: 300_000 }, async () => {
  const seen: string[] = [];
  const silent: string[] = [];
  for (const sweep of [...sweepsOf(api.deps, api.deps.stores.live), ...controlSweeps(api.deps)]) {
    const first = await statementsOf(() => sweep.round());
    let rounds = 1;
    while ((await sweep.round()) > 0 && rounds < MAX_ROUNDS) rounds++;
    const idle = await statementsOf(() => sweep.round());
    const excesses = await excessesOf([...first, ...idle]);
    seen.push(...excesses.map((excess) => `${sweep.name}: ${excess}`));
    assert.ok(rounds < MAX_ROUNDS, `${sweep.name} comes to an end`);
    if (first.length + idle.length === 0) silent.push(sweep.name);
  }
  assert.deepEqual(seen, []);
  // They ask only about provider accounts, of which there are none, and about teams with fraud rules, of whose payments they read a fixed number.
  // `purge-mail-files` deletes files. The last three work in control, on what people do there.
  assert.deepEqual(silent, ['abuse-usual', 'float', 'purge-mail-files', 'user-mail', 'forget-people', 'control-seal']);
});

test('what the metrics ask of the database reads a bounded number of rows', async () => {
  const { live } = api.deps.stores;
  assert.deepEqual(await excessesOf(await statementsOf(() => Promise.all([dueWork(live.db), books(live.db)]))), []);
});
