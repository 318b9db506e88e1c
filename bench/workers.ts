import type { Counted } from './child/tally.ts';
import { Tally } from './child/tally.ts';
import type { Options } from './options.ts';
import type { Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { claimDueAttempts } from '../src/core/attempts/store.ts';
import { createLog } from '../src/kit/log.ts';
import { ensureDatabase } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { APP_ROLE, type DbPool, openPool } from '../src/platform/db/pool.ts';
import { accountKey } from '../src/platform/work/account-key.ts';
import { EVERY_TURN, rangeOf, type Turn } from '../src/platform/work/shards.ts';

const WORKERS = 10;
const BATCH = 50;
const LEASE_MS = 30_000;
/** Rows of one account that a worker holds at most (src/platform/work/account-slots.ts). */
const MAX_HELD = 200;
const TEAMS = 200;
const DATABASE = 'bench_workers';
const NAMES = Array.from({ length: WORKERS }, (_, i) => `worker-${i}`);
const WHOLE = NAMES.map(() => EVERY_TURN);
const RANGES = NAMES.map((name) => ({ shards: rangeOf(NAMES, name), late_ms: 0 }));

/** Ten workers claim due attempts of 200 teams: all from one queue, or each from its range of shards. */
export async function workersSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  await ensureDatabase(stage.server, DATABASE);
  const url = stage.server.url(DATABASE);
  await migrate(url, 'store');
  const log = createLog({ level: 'silent', format: 'json' });
  const owner = openPool({ url, size: 1, log });
  const workers = NAMES.map(() => openPool({ url, size: 1, log, role: APP_ROLE }));
  const rows = options.quick ? 2_000 : 100_000;
  const pointOf = (id: string, label: string, turns: readonly Turn[]): Point => ({
    ...{ id, label, service_pid: service.pid, client_pid: process.pid },
    prepare: () => fill(owner, rows),
    run: (started) => claimAll(owner, workers, turns, options, started),
  });
  return {
    name: 'workers',
    points: [
      pointOf('one-queue', 'ten workers, one queue', WHOLE),
      pointOf('ranges', 'ten workers, a range of shards each', RANGES),
      pointOf('alone', 'one worker, all shards', [EVERY_TURN]),
    ],
    comparisons: [{ point: 'ranges', baseline: 'one-queue', metric: 'per_second' }],
    notes: async () => [
      `A request is one claimed row; a claim takes up to ${BATCH}.`,
      await fairness(owner, workers, WHOLE, 'one queue'),
      await fairness(owner, workers, RANGES, 'a range each'),
    ],
    close: async () => {
      await Promise.all([owner, ...workers].map((pool) => pool.close()));
      await stage.control.run({ text: `drop database ${DATABASE} with (force)`, values: [] });
    },
  };
}

/** Attempts that have been due for up to an hour, in any order of the teams. */
async function fill(owner: DbPool, rows: number): Promise<void> {
  await owner.run({ text: 'truncate attempts', values: [] });
  await insertDue(owner, rows, `1 + (i * 7919) % ${TEAMS}`, `random() * interval '1 hour'`);
}

function insertDue(owner: DbPool, rows: number, team: string, ago: string): Promise<number> {
  return owner.run({
    text: `
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer, country,
      provider_key, created_at, submitted_at, next_poll_at)
    select team, 'att_' || team || '_' || i, 'trx_' || team || '_' || i, 'bank', 'account', 'cm.mtn', 'open', 2500000, 'XAF', '+237650000000', 'CM',
      'k' || team || '_' || i, now(), now(), now() - ${ago}
    from (select i, ${team} as team from generate_series(1, $1::integer) i) made`,
    values: [rows],
  });
}

async function claimAll(
  owner: DbPool,
  workers: readonly DbPool[],
  turns: readonly Turn[],
  { warm_seconds, seconds }: Options,
  started: () => void,
): Promise<Counted> {
  await owner.run({ text: 'vacuum analyze attempts', values: [] });
  const tally = new Tally({ warm_ms: warm_seconds * 1000, window_ms: seconds * 1000 }, started);
  await Promise.all(
    turns.map(async (turn, i) => {
      const db = (workers[i] as DbPool).seeing('all_teams');
      while (!tally.over) {
        const since = performance.now();
        const claimed = await claimDueAttempts(db, new Date(), LEASE_MS, BATCH, [], turn);
        for (const _ of claimed) tally.add(since);
        if (claimed.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }),
  );
  return tally.result();
}

/**
 * One team has 20,000 rows that have been due for an hour; each of the others has one that has just become due. As in a sweep, an account
 * with 200 claimed rows is left out.
 */
async function fairness(owner: DbPool, workers: readonly DbPool[], turns: readonly Turn[], name: string): Promise<string> {
  await owner.run({ text: 'truncate attempts', values: [] });
  await insertDue(owner, 20_000, '0', `interval '1 hour'`);
  await insertDue(owner, TEAMS, 'i', `interval '1 s'`);
  await owner.run({ text: 'analyze attempts', values: [] });
  const held = turns.map(() => 0);
  const taken: number[] = [];
  let claims = 0;
  while (taken.length < TEAMS && claims < 1_000) {
    const i = claims++ % turns.length;
    const skip = (held[i] as number) >= MAX_HELD ? [accountKey(0n, 'account')] : [];
    const db = (workers[i] as DbPool).seeing('all_teams');
    for (const { team_id } of await claimDueAttempts(db, new Date(), LEASE_MS, BATCH, skip, turns[i]))
      if (team_id === 0n) held[i] = (held[i] as number) + 1;
      else taken.push(claims);
  }
  const after = (share: number) => Math.ceil((taken[Math.floor(share * (taken.length - 1))] ?? claims) / turns.length);
  return `Beside a team with 20,000 older rows (${name}): of ${TEAMS} teams with one row each, half have had it claimed after ${after(0.5)} claims of each worker, ${taken.length} after ${after(1)}.`;
}
