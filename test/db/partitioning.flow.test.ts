import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { KEPT_FOR_EVER } from '../../src/platform/db/partitioning/tables.ts';
import { pgConstraint, type Sql, sql } from '../../src/kit/sql.ts';
import { createLog } from '../../src/kit/log.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { paid, paymentIn, startPayment } from '../setup/pay.ts';
import { visitsOf } from '../plans/visits.ts';
import { takenBack } from '../setup/taken-back.ts';
import { checksum, partition, partitionCut, type Place, visibleShape, withOwner } from './partitioning.ts';

/*
 * One installation that is partitioned table by table while its API and workers work, with a command that is cut off wherever it reports
 * where it is. One merchant is quiet: each of its answers and rows is the same to the byte afterwards. Another one keeps charging.
 */

/** Small, so that each table is copied in several batches. */
const BATCH_ROWS = 7;
/** Each run continues where the last one was cut off. */
const PLACES: readonly Place[] = [
  ['copy', 1],
  ['copy', 2],
  ['copy', 2],
  ['index', 1],
  ['index', 3],
  ['index', 4],
  ['compare', 1],
  ['switch', 1],
];
const PAYMENTS = 12;
/** Cut off at all places; the others once, to save time: they go through the same steps. */
const THOROUGH: readonly string[] = ['payments', 'journals', 'audit_entries'];

/** What workers send meanwhile. */
const WRITES = /\b(insert into|update|delete from)\b/;

let api: Api;
let owner: DbPool;
let quiet: Merchant;
let busy: Merchant;
const payments: string[] = [];
/** What is sent to the sandbox while a test listens. */
let sent: Sql[] | undefined;
const KEPT = new RegExp(`\\b(${KEPT_FOR_EVER.join('|')})\\b`);
const replays: { key: string; body: object; answer: string }[] = [];

before(async () => {
  api = await startApi({ watch: (database) => (database === 'sandbox' ? listen : undefined) });
  owner = openPool({ url: api.databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  quiet = await api.newMerchant({ unique_references: true });
  busy = await api.newMerchant();
});
after(async () => {
  await owner.close();
  await api.stop();
});

function listen(statement: Sql): null {
  sent?.push(statement);
  return null;
}

const secret = ({ sandbox }: Merchant) => ({ key: sandbox.secret });

/** One answer of the API, to the byte. */
async function text(merchant: Merchant, method: string, path: string, body?: object, key?: string): Promise<string> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      authorization: merchant.sandbox.secret,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return `${response.status} ${await response.text()}`;
}

const READS = [
  '/payments',
  '/payments?per_page=5&page=2',
  '/payments?cursor=&per_page=5',
  '/payments?status=succeeded',
  '/payments?search=order-3',
  '/payments?search=Awa',
  '/refunds',
  '/transfers',
  '/balance',
  '/balance/history',
  '/balance/history?per_page=5&page=2',
  '/events?type=payment.succeeded',
];

/** Everything that the quiet merchant can read, and its repeated requests. */
async function answers(): Promise<string[]> {
  const paths = [...READS, ...payments.flatMap((id) => [`/payments/${id}`, `/payments/${id}/refunds`])];
  const read = await Promise.all(paths.map(async (path) => `${path} ${await text(quiet, 'GET', path)}`));
  const repeated = await Promise.all(replays.map(({ key, body }) => text(quiet, 'POST', '/payments', body, key)));
  return [...read, ...repeated];
}

const ofQuiet = () => `team_id = ${quiet.team.id}`;

async function sums(condition: string): Promise<Record<string, unknown>> {
  return withOwner(api.databases.sandbox, async (client) => {
    const found: Record<string, unknown> = {};
    for (const table of KEPT_FOR_EVER) found[table] = await checksum(client, table, condition);
    return found;
  });
}

async function fill(): Promise<void> {
  for (let n = 0; n < PAYMENTS; n++) {
    const fields = { reference: `order-${n}`, name: n % 2 ? 'Awa Diop' : 'Moussa', description: `Commande ${n}` };
    // The digits decide the outcome: a decline.
    const phone = n % 4 === 3 ? '650000001' : '650000000';
    if (n % 4 === 3) {
      const { id } = await startPayment(api, { ...secret(quiet), phone, fields });
      await paymentIn(api, id, ['failed'], secret(quiet));
      payments.push(id);
    } else payments.push(await paid(api, { ...secret(quiet), phone, fields }));
  }
  const refund = await api.call('POST', '/refunds', {
    ...secret(quiet),
    body: { payment: payments[0], amount: 1_000, reason: 'requested_by_customer' },
  });
  assert.equal(refund.status, 201, JSON.stringify(refund.body));
  for (let n = 0; n < 3; n++) {
    const [key, body] = [randomUUID(), { amount: 500, currency: 'XAF', phone: '+237650000000', reference: `again-${n}` }];
    replays.push({ key, body, answer: await text(quiet, 'POST', '/payments', body, key) });
  }
}

/** Waits until nothing of the quiet merchant changes any more: refunds and events take a moment. */
async function settled(): Promise<void> {
  for (let before = '', same = 0; same < 3; ) {
    const now = JSON.stringify(await sums(ofQuiet()));
    same = now === before ? same + 1 : 0;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Makes payments until it is stopped. */
function charge(): { made: string[]; stop(): Promise<void> } {
  const made: string[] = [];
  let going = true;
  const loop = async (worker: number) => {
    for (let n = 0; going; n++) {
      made.push(await paid(api, { ...secret(busy), fields: { reference: `busy-${worker}-${n}` } }));
    }
  };
  const loops = [loop(0), loop(1)];
  return {
    made,
    stop: async () => {
      going = false;
      await Promise.all(loops);
    },
  };
}

test('tables are partitioned while the service works, however often the command is cut off', { timeout: 550_000 }, async () => {
  await fill();
  await settled();
  const [read, rows] = [await answers(), await sums(ofQuiet())];
  assert.ok(
    read.every((answer) => / 20[01] /.test(` ${answer}`)),
    'every request succeeds',
  );
  const before_shape = await withOwner(api.databases.sandbox, visibleShape);

  const traffic = charge();
  for (const table of KEPT_FOR_EVER) {
    for (const place of THOROUGH.includes(table) ? PLACES : PLACES.slice(1, 2)) {
      assert.ok(
        await partitionCut(api.databases.sandbox, table, place, { batch_rows: BATCH_ROWS }),
        `${table} is cut off at ${place}`,
      );
    }
    await partition(api.databases.sandbox, table, { batch_rows: BATCH_ROWS });
  }
  await traffic.stop();

  const kinds = await owner.all<{ name: string; kind: string }>(sql`
    select relname as name, relkind as kind from pg_class where relnamespace = 'public'::regnamespace and relname = any (${[...KEPT_FOR_EVER]})`);
  assert.ok(kinds.length === KEPT_FOR_EVER.length && kinds.every(({ kind }) => kind === 'p'), JSON.stringify(kinds));

  assert.deepEqual(await sums(ofQuiet()), rows);
  assert.deepEqual(await answers(), read);
  assert.deepEqual(await withOwner(api.databases.sandbox, visibleShape), before_shape);

  // Nothing of the busy merchant is lost or twice: what was acknowledged is there once, with its attempt, its journal and its events.
  assert.ok(traffic.made.length > 10, `${traffic.made.length} payments were made meanwhile`);
  for (const id of traffic.made) await paymentIn(api, id, ['succeeded'], secret(busy));
  const [counted] = await owner.all(sql`
    select (select count(*)::integer from payments where team_id = ${busy.team.id}) as payments,
      (select count(*)::integer from attempts where team_id = ${busy.team.id}) as attempts,
      (select count(*)::integer from journals where team_id = ${busy.team.id} and kind = 'payment.succeeded') as journals,
      (select count(distinct subject_id)::integer from journals where team_id = ${busy.team.id} and kind = 'payment.succeeded') as subjects,
      (select count(*)::integer from settlement_items where team_id = ${busy.team.id}) as items`);
  const made = traffic.made.length;
  assert.deepEqual(counted, { payments: made, attempts: made, journals: made, subjects: made, items: made });
  const differences: unknown[] = [];
  await verifyLedger(owner, (difference) => differences.push(difference));
  assert.deepEqual(differences, []);
});

test('no role of the service reads or writes a partition directly, and each partition has the policies all the same', async () => {
  const partitions = await owner.all<{ usable: boolean; policies: number }>(sql`
    select bool_or(has_table_privilege(role, c.oid, 'select, insert, update, delete, truncate')) as usable,
      (select count(*)::integer from pg_policies p where p.schemaname = 'pirogue_partitions' and p.tablename = c.relname) as policies
    from pg_inherits h join pg_class c on c.oid = h.inhrelid, unnest(array['pirogue_app', 'pirogue_all_teams', 'pirogue_service']) role
    where h.inhparent = any (${[...KEPT_FOR_EVER]}::regclass[]) group by c.oid`);
  assert.equal(partitions.length, 4 * KEPT_FOR_EVER.length);
  assert.deepEqual(
    partitions.filter(({ usable, policies }) => usable || policies !== 2),
    [],
  );
});

test('nothing of the conversion remains', async () => {
  const left = await owner.all(sql`
    select proname::text as name from pg_proc where proname like 'pirogue_copied%'
    union all select tgname::text from pg_trigger where tgname = 'pirogue_copied' union all select parent from pirogue_partitions.conversions`);
  assert.deepEqual(left, []);
});

test('what is unique stays so, across partitions and time', async () => {
  const body = { amount: 500, currency: 'XAF', phone: '+237650000000', reference: 'order-0' };
  assert.equal((await api.call('POST', '/payments', { ...secret(quiet), body })).status, 409);
  const again = replays[0] as (typeof replays)[number];
  const other = await api.call('POST', '/payments', {
    ...secret(quiet),
    body: { ...again.body, amount: 501 },
    headers: { 'idempotency-key': again.key },
  });
  assert.equal(other.status, 422);
  await assert.rejects(
    owner.run(sql`
      insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at)
      select team_id, id || n, payment_id, provider, channel, 'open', amount_minor, currency, provider_key, created_at
      from (select * from attempts where team_id = ${quiet.team.id} limit 1) a, generate_series(1, 2) n`),
    (error) => pgConstraint(error) === 'attempts_one_open',
  );
});

test('tables whose rows come and go, or change often, have thresholds of their own, as partitions too', async () => {
  const without = () =>
    owner.all<{ name: string }>(sql`
      select relation::text as name from unnest(array['deliveries', 'balance_deltas', 'balances', 'attempts', 'payments']) as name
      cross join lateral (select relid from pg_partition_tree(name) where isleaf union select name::regclass) as tree (relation)
      join pg_class c on c.oid = relation and c.relkind = 'r'
      where not coalesce(c.reloptions::text, '') ~ 'autovacuum_analyze_(threshold=20000|scale_factor=0.[34])'
        or name in ('deliveries', 'balance_deltas') and not coalesce(c.reloptions::text, '') ~ 'vacuum_insert_threshold=20000'`);
  assert.deepEqual(await without(), []);
  const partitions = await owner.all<{ name: string }>(
    sql`select relid::text as name from pg_partition_tree('attempts') where isleaf union all select 'deliveries'`,
  );
  assert.ok(partitions.length > 2, 'attempts has no partitions');
  for (const { name } of partitions) {
    await owner.run({
      text: `alter table ${name} reset (autovacuum_analyze_threshold, autovacuum_analyze_scale_factor)`,
      values: [],
    });
  }
  assert.equal((await without()).length, partitions.length);
  const file = path.join(import.meta.dirname, '..', '..', 'migrations', 'store', '0138_steady_statistics.sql');
  await owner.run({ text: fs.readFileSync(file, 'utf8'), values: [] });
  assert.deepEqual(await without(), []);
});

test('a payment is created, charged and refunded', async () => {
  const id = await paid(api, { ...secret(quiet), fields: { reference: 'new-life' } });
  const refund = await api.call('POST', '/refunds', { ...secret(quiet), body: { payment: id, reason: 'duplicate' } });
  assert.equal(refund.status, 201, JSON.stringify(refund.body));
  await paymentIn(api, id, ['refunded'], secret(quiet));
  assert.match(await text(quiet, 'GET', '/payments?search=new-life'), new RegExp(id));
});

test('each statement of a read or search of a team reads one partition of each table', async () => {
  const heard: Sql[] = [];
  sent = heard;
  await Promise.all([...READS, `/payments/${payments[0]}`].map((path) => text(quiet, 'GET', path)));
  sent = undefined;
  const statements = heard.filter(
    ({ text: statement }) => /^\s*(select|with)\b/.test(statement) && !WRITES.test(statement) && KEPT.test(statement),
  );
  assert.ok(statements.length > 8, `${statements.length} statements`);
  const spread: string[] = [];
  await takenBack(api.deps.stores.sandbox.of(quiet.team.id).db, async (tx) => {
    for (const statement of statements) {
      for (const visits of await visitsOf(tx, statement)) {
        if (visits.spread.length > 0) spread.push(`${visits.spread.join(', ')}: ${statement.text}`);
      }
    }
  });
  assert.deepEqual(spread, []);
});
