import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EVENT_DATA, TABLES } from '../../src/edge/erasure/catalogue.ts';
import { newId } from '../../src/kit/ids.ts';
import { isErased, type PersonalTable } from '../../src/kit/personal.ts';
import { packWhole, unpack } from '../../src/kit/packing.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { type Api, startApi } from '../setup/api.ts';
import { Canaries } from './canaries.ts';

/** A person made of the lists: every personal field of every table has a value of its own. Nothing of it is left. */
const api: Api = await startApi({ workers: false });
/** The owner of the tables: the service may not write all of these columns. */
const db = openPool({ url: api.databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
after(async () => {
  await db.close();
  await api.stop();
});
const { sandbox, team } = await api.newMerchant();
const key = sandbox.secret;

const profile = new Canaries();
/** What is known of the person differs between payments, invoices and the profile. */
const scopes: Record<string, Canaries> = {};
let customer = '';
let payment = '';

type Types = Map<string, string>;

async function typesOf(table: string): Promise<Types> {
  const rows = await db.all<{ name: string; type: string }>(sql`
    select column_name as name, udt_name as type from information_schema.columns where table_name = ${table} and table_schema = 'public'`);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Returns the values in the form that the types of the columns need. */
function stored(values: Record<string, unknown>, types: Types): Record<string, unknown> {
  const columns = Object.entries(values).map(([name, value]) => {
    const type = types.get(name);
    if (type === 'bytea') return [name, `\\x${packWhole(String(value)).toString('hex')}`];
    if (type === 'json') return [name, typeof value === 'string' ? { line1: value } : value];
    return [name, typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return Object.fromEntries(columns);
}

/** The person's rows of a table. */
async function rowsOf(table: string, { belongs }: PersonalTable): Promise<string[]> {
  const resources = sql`
    select id from (select id from payments union all select id from invoices union all select id from refunds union all
      select id from disputes union all select id from customers) all_ids`;
  const ids = (await db.all<{ id: string }>(resources)).map(({ id }) => id);
  const events = (await db.all<{ id: string }>(sql`select id from events`)).map(({ id }) => id);
  const wanted = { self: [customer], customer: [customer], row: [payment], resource: ids, event: events, recipient: [email()] };
  const by = belongs === undefined || belongs.to === 'self' ? 'id' : belongs.by;
  const text = `select ctid::text as place from ${table} where team_id = $1 and ${by} = any($2)`;
  const values = [team.id, belongs ? wanted[belongs.to] : []];
  return (await db.all<{ place: string }>({ text, values })).map(({ place }) => place);
}

function email(): string {
  return values.email as string;
}

let values: Record<string, unknown>;

/** Rows of every kind that can belong to a customer, beside those that the API has made. */
async function insertTheRest(): Promise<void> {
  const now = new Date();
  const [att, ret, rfd, dsp, inv] = (['att', 'rtn', 'rfd', 'dsp', 'inv'] as const).map((prefix) =>
    newId(prefix, 'sandbox', Date.now()),
  );
  await db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at, closed_at)
    values (${team.id}, ${att}, ${payment}, 'sandbox', 'cm.mtn', 'failed', 100, 'XAF', 'k', ${now}, ${now})`);
  await db.run(sql`
    insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, created_at, updated_at, closed_at)
    values (${team.id}, ${ret}, ${payment}, ${att}, 100, 'XAF', 'returned', ${now}, ${now}, ${now})`);
  await db.run(sql`
    insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at)
    values (${team.id}, ${rfd}, ${payment}, 'merchant', '[]', 100, 'XAF', 'failed', 'merchant_error', ${now}, ${now})`);
  await db.run(sql`
    insert into disputes (team_id, id, payment_id, amount_minor, currency, status, reason, draws, created_at, updated_at)
    values (${team.id}, ${dsp}, ${payment}, 100, 'XAF', 'closed', 'fraud', '[]', ${now}, ${now})`);
  await db.run(sql`
    insert into invoices (team_id, id, currency, amount_minor, allow_partial, items, customer_id, key_id, request_id, created_at, updated_at)
    values (${team.id}, ${inv}, 'XAF', 100, false, '[]', ${customer}, 'key_1', 'req_1', ${now}, ${now})`);
  await db.run(sql`
    insert into payment_methods (team_id, id, customer_id, type, channel, token_sealed, fingerprint, created_at, last_used_at)
    values (${team.id}, ${newId('pm', 'sandbox', Date.now())}, ${customer}, 'mobile_money', 'cm.mtn', '', '', ${now}, ${now})`);
  await db.run(sql`insert into mails (team_id, kind, facts, recipient) values (${team.id}, 'invoice', '{}', ${email()})`);
  for (const [type, id] of [
    ['refund.created', rfd],
    ['dispute.created', dsp],
    ['invoice.created', inv],
  ]) {
    await db.run(sql`
      insert into events (team_id, id, type, resource_id, sequence, pending_webhooks, body, created_at)
      values (${team.id}, ${newId('evt', 'sandbox', Date.now())}, ${type}, ${id}, 1, 0, '', ${now})`);
  }
  await db.run(sql`
    insert into event_bodies (team_id, event_id, api_version, body) select team_id, id, '2026-01-01', '' from events where team_id = ${team.id}`);
  await db.run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, duration_ms, created_at)
    select team_id, replace(id, 'evt_', 'whd_'), 'whk_1', id, type, 1, false, 5, ${now} from events where team_id = ${team.id}`);
}

/** Writes a value into every column with a rule, in all of the person's rows. */
async function fillTable(name: string, list: PersonalTable): Promise<void> {
  const rows = await rowsOf(name, list);
  assert.ok(rows.length > 0, `no row of ${name} belongs to the person: insert one`);
  const { belongs } = list;
  const scope = belongs?.to === 'row' ? belongs.of : name;
  scopes[scope] ??= new Canaries(profile);
  const left_out = belongs && belongs.to !== 'self' ? [belongs.by] : [];
  const filled = stored(scopes[scope].fill(list, name, left_out), await typesOf(name));
  const columns = Object.keys(filled);
  const set = columns.map((column) => `${column} = u.${column}`).join(', ');
  const text = `update ${name} t set ${set} from json_populate_record(null::${name}, $1::json) u where t.ctid = any($2::tid[])`;
  await db.run({ text, values: [JSON.stringify(filled), rows] });
}

async function fillEvents(): Promise<void> {
  const events = await db.all<{ id: string; type: string }>(sql`select id, type from events where team_id = ${team.id}`);
  for (const { id, type } of events) {
    const kind = type.split('.')[0] as string;
    const scope = { invoice: 'invoices', customer: 'customers' }[kind] ?? 'payments';
    const data = new Canaries(scopes[scope] ?? profile).fill(EVENT_DATA.get(kind) ?? { plain: '' }, `${type} event`);
    const body = JSON.stringify({ id, event: type, data: { ...data, stray: 'in no list' } });
    await db.run(sql`update events set body = ${packWhole(body)} where id = ${id}`);
  }
}

/** Every canary that is in a database, and the columns it is in. */
async function found(): Promise<Map<string, string[]>> {
  const places = new Map<string, string[]>();
  for (const [name, row] of [...(await rows(api.control)), ...(await rows(db))]) {
    for (const [column, value] of Object.entries(row)) {
      const text = textOf(value).toLowerCase();
      for (const { where } of profile.all.filter((canary) => text.includes(canary.mark))) {
        places.set(where, [...(places.get(where) ?? []), `${name}.${column}`]);
      }
    }
  }
  return places;
}

async function rows(store: Db): Promise<[string, object][]> {
  const tables = await store.all<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`);
  const read = tables.map(async ({ name }) => {
    const all = await store.all<{ row: object }>({ text: `select to_jsonb(t) as row from ${name} t`, values: [] });
    return all.map(({ row }): [string, object] => [name, row]);
  });
  return (await Promise.all(read)).flat();
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!text?.startsWith('\\x')) return text ?? '';
  try {
    return unpack(Buffer.from(text.slice(2), 'hex'));
  } catch {
    return text;
  }
}

before(async () => {
  const list = TABLES.get('customers') as PersonalTable;
  values = stored(profile.fill(list, 'customers'), await typesOf('customers'));
  const headers = { 'Idempotency-Key': profile.make('text', 'the Idempotency-Key') };
  const made = await api.call('POST', '/customers', { key, headers, body: values });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  customer = made.body.customer.id;
  const paid = await api.call('POST', '/payments', { key, body: { amount: 500, currency: 'XAF', customer_id: customer } });
  assert.equal(paid.status, 201, JSON.stringify(paid.body));
  payment = paid.body.transaction.id;
  await insertTheRest();
  // As with responses from before they had a table of their own.
  await db.run(sql`update idempotency_keys set resource_id = ${customer} where team_id = ${team.id}`);
  const owned = [...TABLES].filter(([, { belongs, rules = {} }]) => belongs && Object.values(rules).some(isErased));
  for (const [name, one] of owned) {
    if (name !== 'customers' && name !== 'events') await fillTable(name, one);
  }
  await fillEvents();
});

test('every personal field of every list has a distinct value before the erasure', async () => {
  const places = await found();
  assert.deepEqual(
    profile.all.map(({ where }) => where).filter((where) => !places.has(where)),
    [],
  );
  assert.ok(profile.all.length > 40);
});

test('no column contains a value of any field after the erasure, except where a list permits it', async () => {
  const { status } = await api.call('DELETE', `/customers/${customer}`, { key });
  assert.equal(status, 200);
  const left = [...(await found())].flatMap(([where, columns]) => columns.map((column) => ({ where, column })));
  const kept = ({ column }: { column: string }) => {
    const [table = '', name = ''] = column.split('.');
    return TABLES.get(table)?.rules?.[name]?.becomes === 'kept';
  };
  assert.deepEqual(
    left.filter((one) => !kept(one)),
    [],
  );
  assert.deepEqual(left, [{ where: 'the Idempotency-Key', column: 'idempotency_keys.key' }]);
});
