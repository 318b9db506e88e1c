import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { advanceClock } from '../../src/edge/sandbox-clock/service.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Api, type Merchant, startApi, until } from '../setup/api.ts';
import { paymentIn, startPayment } from '../setup/pay.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { parsed, pirogue } from '../cli/command.ts';

let api: Api;
let receiver: Receiver;
let sandbox: DbPool;
let live: DbPool;
before(async () => {
  api = await startApi({ env: { WEBHOOK_RETRY_SCHEDULE: '1h,1h', HOLD_MOBILE_MONEY: '24h' } });
  receiver = await startReceiver();
  const open = (url: string) => openPool({ url, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  [sandbox, live] = [open(api.databases.sandbox), open(api.databases.live)];
});
after(async () => {
  await Promise.all([sandbox.close(), live.close(), receiver.close()]);
  await api.stop();
});

const run = (...args: string[]) =>
  pirogue(['sandbox', 'clock', 'advance', ...args], {
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  });

const advance = async (merchant: Merchant, time: string) => parsed(await run(time, '--team', String(merchant.team.id), '--json'));

const made = async (merchant: Merchant): Promise<string> => {
  const body = { amount: 5_000, currency: 'XAF', email: 'a@b.example' };
  return (await api.call('POST', '/payments', { key: merchant.sandbox.secret, body })).body.transaction.id;
};

test('a payment whose window ends during the advance expires at once; payments of other teams or in live do not', async () => {
  const [mine, other] = [await api.newMerchant(), await api.newMerchant({ verification_level: 1 })];
  const [payment, theirs] = [await made(mine), await made(other)];
  const inLive = { amount: 5_000, currency: 'XAF', email: 'a@b.example' };
  const { body } = await api.call('POST', '/payments', { key: other.live.secret, body: inLive });
  await advance(other, '1h');
  const early = await advance(mine, '23h');
  assert.deepEqual(early.payments, { moved: 1, due: 0 });
  const late = await advance(mine, '2h');
  assert.deepEqual([late.payments, late.team_id, late.advanced_ms], [{ moved: 1, due: 1 }, String(mine.team.id), 7_200_000]);
  await paymentIn(api, payment, ['expired'], { key: mine.sandbox.secret });
  const events = await api.call('GET', '/events?type=payment.expired', { key: mine.sandbox.secret });
  assert.equal(events.body.items[0].data.id, payment);
  const untouched = (await api.call('GET', `/payments/${theirs}`, { key: other.sandbox.secret })).body.transaction;
  assert.equal(untouched.status, 'pending');
  const { transaction } = (await api.call('GET', `/payments/${body.transaction.id}`, { key: other.live.secret })).body;
  assert.equal(transaction.expires_at, new Date(Date.parse(transaction.created_at) + 86_400_000).toISOString());
});

test('a failed delivery is retried at once', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { webhook } = (
    await api.call('POST', '/webhooks', { key, body: { url: `${receiver.url}/clock`, events: ['payment.*'] } })
  ).body;
  receiver.behave(500, '/clock');
  await made(merchant);
  const tries = async () => (await api.call('GET', `/webhooks/${webhook.id}/deliveries`, { key })).body.items;
  await until(tries, (items) => items.length === 1);
  await until(
    () => sandbox.maybe<{ due: boolean }>(sql`select due_at > now() as due from deliveries where endpoint_id = ${webhook.id}`),
    (row) => row?.due === true,
  );
  receiver.behave(200, '/clock');
  assert.deepEqual((await advance(merchant, '61m')).deliveries, { moved: 1, due: 1 });
  const [second] = await until(tries, (items) => items.length === 2);
  assert.deepEqual([second.attempt, second.status], [2, 'succeeded']);
  assert.equal(receiver.received.filter(({ path }) => path === '/clock').length, 2);
});

test('a payout that has waited a minute for its provider is cancelled at once', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { id } = await startPayment(api, { key });
  await paymentIn(api, id, ['succeeded'], { key });
  const body = { amount: 1_000, currency: 'XAF', beneficiary: { name: 'Awa', channel: 'cm.mtn', phone: '650000003' } };
  const transfer = (await api.call('POST', '/transfers', { key, body })).body.transfer.id;
  await until(
    () =>
      sandbox.maybe<{ waits: boolean }>(sql`
      select dispatched_at is not null and next_poll_at > now() + interval '35 s' as waits from transfers where id = ${transfer}`),
    (row) => row?.waits === true,
  );
  assert.deepEqual((await advance(merchant, '2m')).transfers, { moved: 1, due: 1 });
  await until(
    async () => (await api.call('GET', `/transfers/${transfer}`, { key })).body.transfer.status,
    (status) => status === 'cancelled',
  );
});

test('a charge that waits for its payer until the window ends, and a pending refund, continue at once', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { id: waiting } = await startPayment(api, { key, channel: 'cm.card', phone: '650000000' });
  const { id: given } = await startPayment(api, { key });
  await paymentIn(api, given, ['succeeded'], { key });
  const body = { payment: given, amount: 500, reason: 'duplicate' };
  const refund = (await api.call('POST', '/refunds', { key, body })).body.refund.id;
  const statusOf = async () => (await api.call('GET', `/refunds/${refund}`, { key })).body.refund.status;
  await until(statusOf, (status) => status === 'succeeded');
  // The sandbox answers refunds at once: this one has not been answered yet.
  await sandbox.transaction(async (tx) => {
    // Without the trigger that lets a refund end only once.
    await tx.run(sql`set local session_replication_role = replica`);
    await tx.run(sql`
      update refunds set status = 'processing', completed_at = null, next_poll_at = now() + interval '1 h',
        legs = replace(legs::text, 'succeeded', 'sent')::json where id = ${refund}`);
  });
  const advanced = await advance(merchant, '25h');
  assert.deepEqual(
    [advanced.charges, advanced.refunds],
    [
      { moved: 1, due: 1 },
      { moved: 1, due: 1 },
    ],
  );
  await paymentIn(api, waiting, ['expired'], { key });
  await until(statusOf, (status) => status === 'succeeded');
});

test('retained money is released at once', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const { id } = await startPayment(api, { key });
  await paymentIn(api, id, ['succeeded'], { key });
  // The sandbox holds nothing back by itself: it is put on hold as live would have it.
  const { team } = merchant;
  await sandbox.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at)
    values (${team.id}, ${id}, 'acct_test_later', 'XAF', 0, 0, now() + interval '24 h')`);
  assert.deepEqual((await advance(merchant, '23h')).holds, { moved: 1, due: 0 });
  assert.deepEqual((await advance(merchant, '61m')).holds, { moved: 1, due: 1 });
  await until(
    () =>
      sandbox.maybe<{ released: boolean }>(sql`
      select released_at is not null as released from settlement_items where team_id = ${team.id} and account_id = 'acct_test_later'`),
    (row) => row?.released === true,
  );
});

test('advancing the clock during charges loses no payment; live has no such operation', async () => {
  const merchant = await api.newMerchant();
  const key = merchant.sandbox.secret;
  const move = { team_id: merchant.team.id, by_ms: 60_000 };
  const tools = { clock: systemClock };
  const by = { kind: 'operator', id: 'awa', request_id: null, address: null } as const;
  const passing = (async () => {
    for (let i = 0; i < 20; i++) await advanceClock(tools, { environment: 'sandbox', db: sandbox }, move, by);
  })();
  const started = await Promise.all(Array.from({ length: 20 }, () => startPayment(api, { key })));
  await passing;
  for (const { id } of started) await paymentIn(api, id, ['succeeded'], { key });
  const { available } = (await api.call('GET', '/balance?currency=XAF', { key })).body;
  assert.equal(available, 20 * (25_000 - 500));
  await assert.rejects(advanceClock(tools, { environment: 'live', db: live }, move, by), /only the sandbox/);
});

test('advancing the clock reports the due rows; zero for a team without due rows, or an unknown team', async () => {
  const merchant = await api.newMerchant();
  const { stdout, code } = await run('1h', '--team', String(merchant.team.id));
  assert.equal(code, 0);
  assert.match(stdout, /^WAITING +NEARER +DUE NOW\nunpaid payments +0 +0\n/);
  assert.match(stdout, new RegExp(`The clock of team ${merchant.team.id} was advanced by 1 h`));
  const none = await run('1h', '--team', '1');
  assert.deepEqual([none.code, none.stdout], [1, '']);
  assert.match(none.stderr, /there is no team 1/);
  const nobody = await run('1h');
  assert.match(nobody.stderr, /there is no demo team/);
});
