import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Sql } from '../../src/kit/sql.ts';
import { sql } from '../../src/kit/sql.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { openOwner } from '../archive/fixture.ts';
import { type Api, startApi } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';
import { takenBack } from '../setup/taken-back.ts';
import { visitsOf } from './visits.ts';

/** Rows that a statement about one callback may read, however much is under way. Anybody may send them. */
const BOUND = 50;
const ROWS = 5_000;

let sent: Sql[] = [];
let listening = false;
let api: Api;
let shop: LiveShop;
before(async () => {
  api = await startApi({ workers: false, watch: (database) => (database === 'live' ? listen : undefined) });
  shop = await openLiveShop(api, ['mtn-momo']);
  const owner = openOwner(api.databases.live);
  for (const table of ['transfers', 'refunds', 'refund_keys', 'attempts']) {
    await owner.run({ text: `alter table ${table} set (autovacuum_enabled = off)`, values: [] });
  }
  // Statistics are of a quiet day; then a provider does not answer, and everything stays under way.
  for (const [first, status] of [
    [0, 'succeeded'],
    [ROWS, 'processing'],
  ] as const) {
    const [from, to] = [first + 1, first + ROWS];
    await owner.run(sql`
      insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_account, provider_key, stage,
        key_id, request_id, created_at, updated_at)
      select ${teamId()}, 'po_' || lpad(n::text, 26, '0'), 500, 0, 'XAF', ${status}, '{}', 'cm.mtn', ${accountId()}, gen_random_uuid(), 'dispatched',
        'key_1', 'req_1', now(), now() from generate_series(${from}::integer, ${to}::integer) n`);
    await owner.run(sql`
      insert into refunds (team_id, id, payment_id, kind, way, legs, amount_minor, currency, status, reason, created_at, updated_at)
      select ${teamId()}, 'rfd_' || lpad(n::text, 26, '0'), 'trx_' || n, 'merchant', 'refund', json_build_array(json_build_object(
        'attempt_id', 'att_' || lpad(n::text, 26, '0'), 'amount_minor', '500', 'provider_key', gen_random_uuid(), 'status', 'sent')),
        500, 'XAF', ${status}, 'duplicate', now(), now() from generate_series(${from}::integer, ${to}::integer) n`);
    await owner.run(sql`
      insert into attempts (team_id, id, payment_id, channel, provider, provider_account, provider_key, amount_minor, currency, status, created_at)
      select ${teamId()}, 'att_' || lpad(n::text, 26, '0'), 'trx_' || n, 'cm.mtn', 'mtn-momo', ${accountId()}, gen_random_uuid(), 500, 'XAF',
        ${status === 'succeeded' ? 'succeeded' : 'open'}, now() from generate_series(${from}::integer, ${to}::integer) n`);
    if (first === 0) await owner.run({ text: 'analyze', values: [] });
  }
  await owner.close();
});
after(async () => {
  await shop?.stop();
  await api?.stop();
});

const teamId = () => shop.merchant.team.id;
const accountId = () => String(shop.accounts['mtn-momo']?.id);

function listen(statement: Sql): null {
  if (listening) sent.push(statement);
  return null;
}

/** Sends a callback. @returns how many statements it took, and those that read too much */
async function tooMuch(url: string, externalId: string): Promise<{ statements: number; excesses: string[] }> {
  sent = [];
  listening = true;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ externalId, status: 'SUCCESSFUL' }) });
  listening = false;
  assert.equal(answer.status, 200);
  const excesses: string[] = [];
  for (const statement of sent.filter(({ text }) => /^\s*(select|with|update|insert)\b/i.test(text))) {
    const visits = await takenBack(api.deps.stores.live.of(teamId()).db, (tx) => visitsOf(tx, statement));
    for (const { rows, plan } of visits) if (rows > BOUND) excesses.push(`${rows} rows: ${statement.text}\n  ${plan}`);
  }
  return { statements: sent.length, excesses };
}

test('a callback reads a few rows, whatever it is about and however much is under way', async () => {
  const { db } = api.deps.stores.live.of(teamId());
  /** The key of the last row, which is under way. */
  const keyOf = async (table: 'transfers' | 'attempts' | 'refund_keys'): Promise<string> => {
    const id = table === 'refund_keys' ? 'refund_id' : 'id';
    const text = `select provider_key from ${table} order by ${id} desc limit 1`;
    return String((await db.maybe<{ provider_key: string }>({ text, values: [] }))?.provider_key);
  };
  const shared = `${api.url}/_callbacks/${accountId()}`;
  const keys = [await keyOf('transfers'), await keyOf('attempts'), await keyOf('refund_keys'), randomUUID()];
  const ids = ['po', 'att', 'rfd'].map((prefix) => `${prefix}_${String(2 * ROWS).padStart(26, '0')}`);
  const callbacks = [
    ...keys.map((key) => ({ url: shared, key })),
    ...ids.map((id) => ({ url: callbackUrl(api.deps, accountId(), id), key: '' })),
  ];
  for (const { url, key } of callbacks) {
    const { statements, excesses } = await tooMuch(url, key);
    assert.ok(statements > 0, url);
    assert.deepEqual(excesses, [], `${url} ${key}`);
  }
});
