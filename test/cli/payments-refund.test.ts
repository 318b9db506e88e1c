import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import { after, before, describe, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { sql } from '../../src/kit/sql.ts';
import { until } from '../setup/api.ts';
import { openLiveShop } from '../setup/live-shop.ts';
import { paid } from '../setup/pay.ts';
import { type Ended, parsed, pirogue } from './command.ts';
import { type MerchantLine, openMerchantLine } from './merchant.ts';

let line: MerchantLine;
let owner: DbPool;
before(async () => {
  line = await openMerchantLine();
  owner = openPool({ url: line.api.databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await line.close();
});

describe('payments refund', () => {
  const entries = (id: string) =>
    owner.all<object>(sql`select actor, actor_id, action, team_id from audit_entries where resource_id = ${id}`);
  const refundsOf = async (payment: string) => (await line.get(`/refunds?payment=${payment}`)).items;

  test('refunds a part, then the rest, in the books and in the audit trail under the operator', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 10_000 });
    const part = await line.json('payments', 'refund', id, '--amount', '2500', '--reason', 'duplicate');
    assert.deepEqual([part.amount, part.status, part.reason, part.replayed], [2_500, 'succeeded', 'duplicate', false]);
    const rest = await line.run(['payments', 'refund', id]);
    assert.match(rest.stdout, /^refund +rfd_test_\w+\npayment +trx_test_\w+\namount +7,500 XAF\nstatus +succeeded\n/);
    const { transaction } = await line.get(`/payments/${id}`);
    assert.deepEqual([transaction.status, transaction.amount_refunded], ['refunded', 10_000]);
    const { username } = os.userInfo();
    const team_id = line.merchant.team.id;
    assert.deepEqual(await entries(part.id), [{ actor: 'operator', actor_id: username, action: 'refund.create', team_id }]);
    const verified = parsed(await pirogue(['ledger', 'verify', '--environment', 'sandbox', '--json'], line.env));
    assert.equal(verified.ok, true);
  });

  test('one idempotency key refunds once, also when the API repeats it', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 10_000 });
    const args = ['payments', 'refund', id, '--amount', '1000', '--idempotency-key', `ticket-${id}`];
    const [one, two] = await Promise.all([line.run([...args, '--json']), line.run([...args, '--json'])]);
    const [first, second] = [parsed(one), parsed(two)];
    assert.equal(first.id, second.id);
    assert.deepEqual([first.replayed, second.replayed].sort(), [false, true]);
    assert.match((await line.run(args)).stdout, /was made before with the same idempotency key: nothing was refunded now/);
    const body = { payment: id, amount: 1_000, reason: 'requested_by_customer' };
    const headers = { 'Idempotency-Key': `ticket-${id}` };
    const answer = await line.api.call('POST', '/refunds', { key: line.merchant.sandbox.secret, body, headers });
    assert.deepEqual([answer.status, answer.body.refund.id], [201, first.id]);
    assert.equal((await refundsOf(id)).length, 1);
    const other = await line.run(['payments', 'refund', id, '--idempotency-key', `ticket-${id}`]);
    assert.deepEqual([other.code, other.stdout], [2, '']);
    assert.match(other.stderr, /^pirogue: --idempotency-key was already used with a different payload/);
  });

  test('an interrupted refund says with which key to repeat it, which refunds once', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 10_000 });
    const args = ['payments', 'refund', id, '--amount', '1000', '--team', String(line.merchant.team.id)];
    // A pool would end a transaction that waits for as long as the command may take to start.
    const holder = await connectClient(line.api.databases.sandbox);
    let stopped: Ended;
    try {
      await holder.query('begin');
      await holder.query('select 1 from payments where id = $1 for update', [id]);
      const { promise, resolve } = Promise.withResolvers<ChildProcess>();
      const ended = pirogue(args, line.env, resolve);
      const child = await promise;
      await until(
        () =>
          owner.all<object>(sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
        (waiting) => waiting.length > 0,
      );
      child.kill('SIGINT');
      stopped = await ended;
    } finally {
      await holder.end();
    }
    const { code, stdout, stderr } = stopped;
    assert.deepEqual([code, stdout], [130, ''], stderr);
    const key = /^pirogue: interrupted[^\n]* --idempotency-key (\S+), which never refunds twice\.\n$/.exec(stderr)?.[1] as string;
    for (let n = 0; n < 2; n++) assert.equal((await pirogue([...args, '--idempotency-key', key], line.env)).code, 0);
    assert.deepEqual(
      (await refundsOf(id)).map(({ amount }: { amount: number }) => amount),
      [1_000],
    );
  });

  test('what cannot be refunded is refused on one line, and nothing is written', async () => {
    const id = await paid(line.api, { key: line.merchant.sandbox.secret, amount: 10_000 });
    const refuse = async (...args: string[]) => {
      const { code, stdout, stderr } = await line.run(['payments', 'refund', ...args]);
      assert.deepEqual([stdout, stderr.split('\n').length], ['', 2], stderr);
      return `${code} ${stderr}`;
    };
    assert.match(await refuse(id, '--amount', '10001'), /^2 pirogue: --amount is more than what is left to refund/);
    assert.match(await refuse(id, '--amount', '0.5'), /^2 pirogue: --amount must be a whole number of XAF/);
    assert.match(await refuse(id, '--amount', 'all'), /^2 pirogue: all is not an amount/);
    assert.match(await refuse(id, '--reason', 'because'), /^2 .*Allowed choices are duplicate/);
    assert.match(await refuse(id, '--idempotency-key', '4111111111111111'), /^2 .*looks like it holds a card number/);
    assert.match(
      await refuse(await line.create({ amount: 500, currency: 'XAF', phone: '+237650000000' })),
      /^1 pirogue: The payment is pending and cannot be refunded\. "pirogue payments show/,
    );
    assert.deepEqual(await refundsOf(id), []);
  });

  test('a live refund is sent by the running service, once', async () => {
    const shop = await openLiveShop(line.api, ['pawapay']);
    try {
      const id = await paid(line.api, { key: shop.key, amount: 5_000, phone: '670100000' });
      const made = await line.run(['payments', 'refund', id, '--amount', '1000', '--json'], {}, shop.merchant);
      const { id: refund, status, sandbox } = parsed(made);
      assert.deepEqual([status, sandbox], ['pending', false]);
      await until(
        async () => (await line.get(`/refunds/${refund}`, shop.key)).refund.status,
        (now) => now === 'succeeded',
        60_000,
      );
      const book = shop.simulators.pawapay?.book.entries() ?? [];
      assert.deepEqual(
        book.filter(({ kind }) => kind === 'refund').map(({ amount_minor }) => amount_minor),
        [100_000n],
      );
      const shown = await line.run(['refunds', 'show', refund], {}, shop.merchant);
      assert.match(shown.stdout, /^amount +1,000 XAF\nstatus +succeeded$/m);
    } finally {
      await shop.stop();
    }
  });
});
