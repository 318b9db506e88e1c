import { openPool } from '../src/platform/db/pool.ts';
import { newId } from '../src/kit/ids.ts';
import { createLog } from '../src/kit/log.ts';
import { verifyLedger } from '../src/money/ledger/verify.ts';
import type { PostingJob } from './child/posting.ts';
import type { Counted } from './child/tally.ts';
import { footprintNotes, footprintOf } from './footprint.ts';
import { Helper } from './helper.ts';
import type { Options } from './options.ts';
import type { Comparison, Point, Section } from './rounds.ts';
import type { Service } from './service.ts';
import { clear, type Stage } from './stage.ts';

const CONNECTIONS = [16, 64] as const;
/** More than can succeed in one second. */
const PAYMENTS_PER_SECOND = 8_000;
const LIMIT_MS = 60_000;
/** Deltas before balances: the service's worker folds those that are left. */
const WRITTEN = ['payments', 'journals', 'postings', 'balance_deltas', 'balances', 'ledger_seals', 'ledger_group_seals'];
const TEAM = 1n;

const WAYS: readonly { way: PostingJob['way']; label: string }[] = [
  { way: 'lock', label: 'every balance under its row lock' },
  { way: 'post', label: 'post, a transaction for each payment' },
  { way: 'together', label: 'post, what comes at once in one transaction' },
];

/** Payments of one merchant that succeed: how many can be booked, beside the obvious way of keeping balances. */
export async function postingsSection(stage: Stage, options: Options, service: Service): Promise<Section> {
  const helper = new Helper<PostingJob, Counted>('posting', stage.folder);
  const points = CONNECTIONS.flatMap((connections) =>
    WAYS.map(({ way, label }) => postingPoint(stage, options, { service, helper, connections, way, label })),
  );
  return {
    name: 'postings',
    points,
    comparisons: comparisons(),
    notes: async () => [
      'One payment is one journal of two lines: twice as many postings as payments.',
      ...footprintNotes(await footprintOf(stage, service, options.quick)),
    ],
    close: async () => {
      await helper.stop();
      await clear(stage.sandbox, WRITTEN);
    },
  };
}

function comparisons(): Comparison[] {
  const metric = 'per_second' as const;
  return [
    { point: 'post-16', baseline: 'lock-16', metric },
    { point: 'together-16', baseline: 'lock-16', metric },
    // No drop when four times as many want to post for the same merchant.
    { point: 'post-64', baseline: 'post-16', metric, goal: { least: 0.95 } },
    { point: 'together-64', baseline: 'together-16', metric, goal: { least: 0.95 } },
    { point: 'lock-64', baseline: 'lock-16', metric },
  ];
}

interface PostingPoint {
  service: Service;
  helper: Helper<PostingJob, Counted>;
  connections: number;
  way: PostingJob['way'];
  label: string;
}

/** The service's own workers fold meanwhile; afterwards the books are recomputed, since quick is no use when something is lost. */
function postingPoint(
  stage: Stage,
  { warm_seconds, seconds }: Options,
  { service, helper, connections, way, label }: PostingPoint,
): Point {
  let ids: string[] = [];
  return {
    id: `${way}-${connections}`,
    label: `${label}, ${connections} connections`,
    service_pid: service.pid,
    client_pid: helper.pid,
    prepare: async () => {
      await clear(stage.sandbox, WRITTEN);
      ids = await makePayments(stage, Math.ceil((warm_seconds + seconds) * PAYMENTS_PER_SECOND));
    },
    run: async (started) => {
      const windows = { warm_ms: warm_seconds * 1000, window_ms: seconds * 1000 };
      const job = { ...windows, url: stage.urls.sandbox, connections, way, team_id: String(TEAM), ids };
      const counted = await helper.run(job, windows.warm_ms + windows.window_ms + LIMIT_MS, started);
      await proveBooks(stage);
      return counted;
    },
  };
}

/** Payments that wait for their money, and the balances that would be locked. */
async function makePayments(stage: Stage, count: number): Promise<string[]> {
  const now = Date.now();
  const ids = Array.from({ length: count }, () => newId('trx', 'sandbox', now)).sort();
  await stage.sandbox.query(
    `
    insert into payments (team_id, id, reference, amount_minor, fee_minor, currency, status, channel, phone, event_count, key_id,
      request_id, created_at, updated_at, expires_at)
    select $1, id, 'order-' || n, 2500000, 50000, 'XAF', 'processing', 'cm.mtn', '+237650000000', 2, 'key', 'req', now(), now(),
      now() + interval '1 day'
    from unnest($2::text[]) with ordinality as made(id, n)`,
    [TEAM, ids],
  );
  await stage.sandbox.query(
    `
    insert into balances (team_id, currency, account, guarded)
    select $1, 'XAF', account, false from unnest('{clearing,pending,fee_income}'::text[]) account`,
    [TEAM],
  );
  await stage.sandbox.query('vacuum analyze payments');
  await stage.sandbox.query('checkpoint');
  return ids;
}

async function proveBooks(stage: Stage): Promise<void> {
  const db = openPool({ url: stage.urls.sandbox, size: 1, log: createLog({ level: 'warn', format: 'json' }) });
  try {
    await verifyLedger(db, ({ check, what, expected, found }) => {
      throw new Error(`the books are wrong: ${check} ${what}: ${found} instead of ${expected}`);
    });
  } finally {
    await db.close();
  }
}
