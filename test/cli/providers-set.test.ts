import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { credentialsPlace } from '../../src/providers/provider-accounts/store.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';
import { paid } from '../setup/pay.ts';
import { parsed, pirogue } from './command.ts';
import { type MerchantLine, openMerchantLine } from './merchant.ts';

const SECRET = 'canary-of-the-api-key-0123456789';

let line: MerchantLine;
let shop: LiveShop;
let second: Simulator;
let id: string;
let file: string;
before(async () => {
  line = await openMerchantLine();
  shop = await openLiveShop(line.api, ['mtn-momo']);
  second = await startSimulator(mtnMomoSimulator, { delay_ms: 20, slow_ms: 100, lag_ms: 500 });
  id = String(shop.accounts['mtn-momo']?.id);
  file = path.join(line.env.DATA_DIR as string, 'credentials.json');
  fs.writeFileSync(file, JSON.stringify(second.credentials));
});
after(async () => {
  await Promise.all([second?.stop(), shop?.stop()]);
  await line?.close();
});

const OPERATOR = 'awa.operator';
const run = (...args: string[]) => pirogue(args, { ...line.env, SUDO_USER: OPERATOR });
const set = async () => parsed(await run('providers', 'set', id, '--credentials', file, '--json'));
const rowOf = (account = id) =>
  line.api.control.maybe<{ row: string; updated_at: Date }>(
    sql`select t::text as row, updated_at from provider_accounts t where id = ${account}`,
  );
const collected = ({ book }: Simulator) => book.entries().filter(({ kind }) => kind === 'collect').length;
const pay = () => paid(line.api, { key: shop.key, amount: 5_000, phone: '670100000' });

test('a running service uses the replaced credentials for the next charge, by the same account', async () => {
  const first = shop.simulators['mtn-momo'] as Simulator;
  const earlier = await pay();
  assert.deepEqual([collected(first), collected(second)], [1, 0]);
  const before = await rowOf();
  const changed = await set();
  assert.deepEqual([changed.id, changed.provider, changed.name, changed.active], [id, 'mtn-momo', 'mtn-momo', true]);
  assert.equal(changed.credentials, undefined);
  const later = await pay();
  assert.deepEqual([collected(first), collected(second)], [1, 1]);
  const accounts = await line.api.deps.stores.live.db.all<{ provider_account: string }>(
    sql`select provider_account from attempts where payment_id in (${earlier}, ${later})`,
  );
  assert.deepEqual(
    accounts.map(({ provider_account }) => provider_account),
    [id, id],
  );
  const row = await rowOf();
  assert.ok(Number(row?.updated_at) > Number(before?.updated_at));
  for (const value of Object.values(second.credentials)) if (value.length > 10) assert.ok(!row?.row.includes(value), value);
});

test('updated_at grows with each change, also when an earlier one was made by a clock ahead of this one', async () => {
  await line.api.control.run(sql`update provider_accounts set updated_at = now() + interval '1 hour' where id = ${id}`);
  const times = [await rowOf()];
  await set();
  times.push(await rowOf());
  await set();
  times.push(await rowOf());
  parsed(await run('providers', 'disable', id, '--json'));
  times.push(await rowOf());
  parsed(await run('providers', 'enable', id, '--json'));
  const values = times.map((row) => Number(row?.updated_at));
  assert.ok(
    values.every((value, i) => i === 0 || value > (values[i - 1] as number)),
    String(values),
  );
});

test('an account whose credentials no key opens works again', async () => {
  const { team } = shop.merchant;
  const sealed = new Secrets(Buffer.alloc(32, 9)).seal('{}', credentialsPlace({ team_id: team.id, id }));
  await line.api.control.run(
    sql`update provider_accounts set credentials_sealed = ${sealed}, updated_at = updated_at + interval '1 second' where id = ${id}`,
  );
  const unusable = await run('providers', 'test', id);
  assert.deepEqual([unusable.code, /there is no usable account/.test(unusable.stderr)], [1, true]);
  const { code, stdout, stderr } = await run('providers', 'set', id, '--credentials', file);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^account +pa_\w+\nprovider +mtn-momo\nname +mtn-momo\nenvironment +live\n\n/);
  assert.match(stdout, new RegExp(`"pirogue providers test ${id}" tests the account`));
  assert.equal(parsed(await run('providers', 'test', id, '--json')).works, true);
  await pay();
});

test('the audit trail names the operator who replaced the credentials', async () => {
  await set();
  const [entry] = parsed(await run('audit', 'show', '--resource', id, '--action', 'provider.update', '--json'));
  assert.deepEqual(
    [entry.action, entry.resource_id, entry.team_id, entry.actor, entry.actor_id],
    ['provider.update', id, String(shop.merchant.team.id), 'operator', OPERATOR],
  );
});

const REFUSED: [what: string, args: string[], code: number, says: RegExp][] = [
  ['no credentials', [], 1, /api_user is missing/],
  ['one credential of several', ['--set', `api_key=${SECRET}`], 1, /api_user is missing/],
  ['an unknown credential', ['--set', `surprise=${SECRET}`], 1, /surprise is not a credential of this provider/],
  ['a file that is not there', ['--credentials', '/nowhere'], 1, /cannot be read/],
  ['a variable that is not set', ['--set-env', 'api_key=NOT_SET_ANYWHERE'], 1, /NOT_SET_ANYWHERE is not set/],
  ['a pair without a name', ['--set', 'x'], 2, /name=value/],
];
for (const [what, args, code, says] of REFUSED) {
  test(`${what}: one clear line without secrets, and nothing changes`, async () => {
    const earlier = await rowOf();
    const entries = () =>
      line.api.control.maybe<{ count: bigint }>(sql`select count(*) as count from audit_entries where resource_id = ${id}`);
    const count = await entries();
    const ended = await run('providers', 'set', id, ...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, says);
    assert.ok(!(ended.stdout + ended.stderr).includes(SECRET));
    assert.deepEqual(await rowOf(), earlier);
    assert.deepEqual(await entries(), count);
  });
}

test('an account that is not there, and text that is no id, are reported as by the other commands', async () => {
  const absent = await run('providers', 'set', newId('pa', 'live', 1), '--credentials', file);
  assert.deepEqual([absent.code, /there is no usable account pa_/.test(absent.stderr)], [1, true]);
  const wrong = await run('providers', 'set', 'x', '--credentials', file);
  assert.deepEqual([wrong.code, /x is not the id of an account/.test(wrong.stderr)], [2, true]);
});
