import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { books, dueWork, MAX_COUNTED } from '../../src/edge/metrics/queues-store.ts';
import type { Sql, Tx } from '../../src/kit/sql.ts';
import { createLog, type Log } from '../../src/kit/log.ts';
import { backlogSweep } from '../../src/money/webhooks/sweeps.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import type { Sweep } from '../../src/platform/work/sweep.ts';
import { buildDeps, type Deps } from '../../src/program/deps.ts';
import { controlSweeps, sweepsOf } from '../../src/program/program.ts';
import { type Api, startApi } from '../setup/api.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { fillDue, MANY } from './due.ts';
import { Shelf } from './rows.ts';
import { visitsOf } from './visits.ts';
import { walkedStore } from './walked-store.ts';

/**
 * Rows that a statement of a worker may read, however many rows the tables have: a batch, and what belongs to each row of it.
 */
const BOUND = 2_500;
const ROWS = 20_000;
/** Parts of statements that may read more, with the reason. */
const MORE: readonly [part: string, rows: number][] = [
  // Every balance, one for each subaccount here, and every sum that is not in one yet: once in five minutes.
  ['from balances union all', 2 * ROWS],
  // Up to 10,000 due rows of each queue, of which only deliveries are left when the metrics are asked for.
  ['due (queue, at) as', MAX_COUNTED + BOUND],
  // A batch of 5,000, which it finds and deletes.
  ['delete from balance_deltas', 10_000 + BOUND],
  // The open payments of the team, if fewer than those of the customer.
  ['update erasures set revisit_at = case', 2 * MANY],
  // The catalogue's entries of their columns, indexes and policies, a few hundred for each partition: of tables by day about a week of them.
  ['pirogue_make_partitions', 80_000],
  ['pirogue_drop_partition', 15_000],
];
/** Rounds after which a sweep has nothing left that is due, but for what waits for the transactions of other tests: some ten minutes. */
const MAX_ROUNDS = 6_000;

/** Statements of one text that are explained while a sweep works, and once more while it finds nothing. */
const MAX_OF_A_TEXT = 2;

/** What the provider of all rows answers: what it is asked about stays under way. */
const PENDING = { kind: 'pending', provider_ref: null, poll_after_ms: 3_600_000 } as const;
const SILENT: TestProvider = {
  ...{ name: 'flutterwave', account_id: 'pa_1', collects: () => true },
  submit: async () => ({ kind: 'unknown', message: 'no answer' }),
  read: async () => PENDING,
  refunds: { extent: 'partial', submit: async () => PENDING, read: async () => PENDING },
  payouts: { reaches: () => true, submit: async () => PENDING, read: async () => PENDING },
};

/** What background work reported: it goes on after a failure, and what it would have read is then not explained. */
const failures: unknown[] = [];
let api: Api;
let deps: Deps;

const isExplainable = ({ text }: Sql) => /^\s*(select|with|update|insert|delete)\b/i.test(text);

const onOneLine = ({ text }: Sql) => text.replaceAll(/\s+/g, ' ');

function boundOf(statement: Sql): number {
  return MORE.find(([part]) => onOneLine(statement).includes(part))?.[1] ?? BOUND;
}

/** Explains the statements of the live store before they run, and keeps those that read too much. */
const walk = {
  doing: '',
  seen: new Map<string, number>(),
  excesses: [] as string[],
  begin(doing: string) {
    this.doing = doing;
    this.seen.clear();
  },
  wants(statement: Sql): boolean {
    const { text } = statement;
    const seen = this.seen.get(text) ?? 0;
    this.seen.set(text, seen + 1);
    return this.doing !== '' && seen < MAX_OF_A_TEXT && isExplainable(statement);
  },
  async look(tx: Tx, statement: Sql): Promise<void> {
    const name = `${this.doing}: ${onOneLine(statement).slice(0, 200)}`;
    try {
      for (const { rows, plan } of await visitsOf(tx, statement, { by_keys: true }))
        if (rows > boundOf(statement)) this.excesses.push(`${rows} rows: ${name}\n  ${plan}`);
    } catch (error) {
      this.excesses.push(`not explained, because ${error}: ${name}`);
    }
  },
  end(): string[] {
    this.doing = '';
    return this.excesses.splice(0);
  },
};

before(async () => {
  api = await startApi({ workers: false });
  const log: Log = { ...createLog({ level: 'silent', format: 'json' }), error: (...said: unknown[]) => failures.push(said) };
  const owner = openPool({ url: api.databases.live, size: 1, log, statement_ms: 120_000 });
  await new Shelf(owner, api.team.id, ROWS).fill();
  await fillDue(owner, api.team.id, ROWS);
  await owner.close();
  const { config, secrets, clock, stores } = api.deps;
  deps = buildDeps({
    ...{ config, log, secrets, clock },
    stores: { ...api.deps.stores, live: walkedStore(stores.live, walk) },
    providers: new Registry({ sandbox: [], live: [SILENT] }),
  });
});
after(() => api.stop());

/** Sweeps whose rounds return nothing here, with the reason: of most, what they look for is explained without rows. */
const WITHOUT_WORK: Record<string, string> = {
  'abuse-usual': 'no team has fraud rules, of whose payments it reads a fixed number',
  'control-seal': 'works in control, on what people do there',
  figures: 'its first round begins the count, and the next one follows after half a minute',
  float: 'there are no provider accounts',
  'forget-people': 'works in control, on what people do there',
  partitions: 'no partition is past its retention',
  'purge-deliveries': 'no row is older than its partition',
  'purge-events': 'no row is older than its partition',
  'purge-mail-files': 'deletes files, of which there are none',
  'purge-payout-batches': 'no list of payouts is past its retention',
  search: 'returns no number, and nothing is searched here: the lists are (lists.test.ts)',
  shards: 'renews the membership of the worker',
  'user-mail': 'works in control, on what people do there',
  'webhook-backlogs': 'looks at 200 endpoints in a round, and there are 16',
};

/** Up to so many deliveries of each endpoint are counted, of which some have more. */
const BACKLOG = { max: 100, resume_below: 50 };

function sweeps(): Sweep[] {
  const { live } = deps.stores;
  const ofLive = sweepsOf(deps, live).filter(({ name }) => name !== 'webhook-backlogs');
  return [...ofLive, backlogSweep(deps, live, BACKLOG), ...controlSweeps(deps)];
}

test('a round of each sweep, purge and seal reads a bounded number of rows', { timeout: 1_500_000 }, async () => {
  const idle: string[] = [];
  for (const sweep of sweeps()) {
    // Explained while other rows of the same kind are still due.
    walk.begin(sweep.name);
    let rounds = 0;
    let done = 0;
    for (let found = -1; rounds < MAX_ROUNDS && (found !== 0 || (done === 0 && !(sweep.name in WITHOUT_WORK))); rounds++) {
      // Sums and seals wait for transactions that began before, also those of other tests.
      if (found === 0) await sleep(100);
      found = await sweep.round();
      done += found;
    }
    assert.ok(rounds < MAX_ROUNDS, `${sweep.name} comes to an end`);
    walk.begin(`${sweep.name} without work`);
    await sweep.round();
    if (done === 0) idle.push(sweep.name);
  }
  assert.deepEqual(walk.end(), []);
  assert.deepEqual(failures, []);
  assert.deepEqual(idle.sort(), Object.keys(WITHOUT_WORK).sort());
});

test('what the metrics ask of the database reads a bounded number of rows', async () => {
  const { live } = deps.stores;
  walk.begin('metrics');
  await Promise.all([dueWork(live.db), books(live.db)]);
  assert.deepEqual(walk.end(), []);
});
