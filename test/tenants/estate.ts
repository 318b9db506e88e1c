import assert from 'node:assert/strict';
import { saveMethod } from '../../src/core/customers/methods.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { type Db, fixed, sql } from '../../src/kit/sql.ts';
import { type Api, type Merchant, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';

/** Ids by prefix. */
export type Ids = Record<string, string>;

/** What a merchant owns in each environment: one of everything that has an id in a request. */
export interface Estate {
  merchant: Merchant;
  ids: Record<Environment, Ids>;
}

/** The tables of what an {@link Estate} holds. */
export const TABLES = [
  'customers',
  'payments',
  'attempts',
  'refunds',
  'beneficiaries',
  'transfers',
  'accounts',
  'webhook_endpoints',
  'events',
  'payment_methods',
  'disputes',
  'invoices',
  'links',
];

/** Makes one of everything in sandbox, by the API where it can, and copies it into live, where it takes a provider to make it. */
export async function makeEstate(api: Api): Promise<Estate> {
  const merchant = await api.newMerchant({ verification_level: 4 });
  const sandbox = await makeSandbox(api, merchant);
  await mirror(api, merchant.team.id);
  const live = Object.fromEntries(Object.entries(sandbox).map(([prefix, id]) => [prefix, id.replace('_test_', '_')]));
  const post = poster(api, merchant.live.secret);
  const line = { name: 'Mangoes', quantity: 1, unit_price: 500 };
  live.lnk = (await post('/links', { title: 'Class', amount: 500, currency: 'XAF' })).link.id;
  live.inv = (await post('/invoices', { items: [line], currency: 'XAF', customer: { email: 'awa@shop.example' } })).invoice.id;
  return { merchant, ids: { sandbox, live } };
}

function poster(api: Api, key: string) {
  return async (path: string, body: object) => {
    const answer = await api.call('POST', path, { key, body });
    assert.ok(answer.status < 300, `${path} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

async function makeSandbox(api: Api, merchant: Merchant): Promise<Ids> {
  const key = merchant.sandbox.secret;
  const post = poster(api, key);
  const team_id = merchant.team.id;
  const store = api.deps.stores.sandbox;
  const [, disputed] = [await paid(api, { key, amount: 90_000 }), await paid(api, { key })];
  const trx = (await post('/payments', { amount: 25_000, currency: 'XAF', phone: '+237650000001' })).transaction.id;
  const refunded = await paid(api, { key });
  const rfd = (await post('/refunds', { payment: refunded, amount: 100, reason: 'duplicate' })).refund.id;
  const cus = (await post('/customers', { name: 'Awa', phone: '+237650000099' })).customer.id;
  const ben = (await post('/beneficiaries', { name: 'Awa', channel: 'cm.mtn', phone: '650000000' })).beneficiary.id;
  const po = (await post('/transfers', { amount: 500, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' })).transfer
    .id;
  await until(
    () => api.call('GET', `/transfers/${po}`, { key }),
    ({ body }) => body.transfer.status === 'succeeded',
  );
  const acct = (await post('/accounts', { name: 'Awa', email: 'awa@shop.example' })).account.id;
  const wh = (await post('/webhooks', { url: 'https://shop.example/hooks', events: ['invoice.*'] })).webhook.id;
  const evt = (await api.call('GET', '/events', { key })).body.items[0].id;
  const dsp = (await openDispute(api.deps, store, { team_id, payment_id: disputed, reason: 'fraudulent' })).id;
  const means = {
    type: 'mobile_money',
    channel: 'cm.mtn',
    token: '+237650000000',
    provider_account: null,
    brand: null,
    last4: '0000',
  } as const;
  const context = { environment: 'sandbox', at: Date.now() } as const;
  const method = await store.db.transaction((tx) => saveMethod(tx, api.deps.secrets, context, { team_id, id: cus }, means));
  return { trx, rfd, cus, ben, po, acct, wh, evt, dsp, pm: method.id };
}

/** Copies a team's sandbox into live, under ids of live. Test only: nothing in the service can do so. */
async function mirror(api: Api, team_id: bigint): Promise<void> {
  await withOwner(api, 'sandbox', (sandbox) =>
    withOwner(api, 'live', async (live) => {
      for (const table of TABLES) {
        const name = fixed(table);
        const rows = await sandbox.all<{ row: string }>(
          // In the order of their ids, which is that of writing: events are numbered one after the other.
          sql`select row_to_json(t)::text as row from ${name} t where team_id = ${team_id} order by t::text collate "C"`,
        );
        const [columns] = await live.all<{ names: string }>(sql`
          select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
          where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' and is_identity = 'NO'`);
        const names = fixed(columns?.names ?? '');
        const copies = `[${rows.map(({ row }) => row.replaceAll('_test_', '_')).join(',')}]`;
        await live.run(
          sql`insert into ${name} (${names}) select ${names} from json_populate_recordset(null::${name}, ${copies}::json)`,
        );
      }
    }),
  );
}

/** Everything the team has there, as text, to see that nothing of it changed. */
export function ownedBy(api: Api, environment: Environment, team_id: bigint): Promise<Record<string, string>> {
  return withOwner(api, environment, async (owner) => {
    const found: Record<string, string> = {};
    for (const table of TABLES) {
      const [row] = await owner.all<{ text: string | null }>(
        sql`select string_agg(t::text, E'\n' order by t::text) as text from ${fixed(table)} t where team_id = ${team_id}`,
      );
      found[table] = row?.text ?? '';
    }
    return found;
  });
}

/** Lends a connection of the database's owner, whom no policy holds. */
export async function withOwner<T>(api: Api, environment: Environment, work: (owner: Db) => Promise<T>): Promise<T> {
  const pool = openPool({ url: api.databases[environment], size: 1, log: api.deps.log });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
