// Own process: it changes the environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Api as Client } from '../../src/program/cli/api.ts';
import { sandboxOf } from '../../src/program/cli/trigger/sandbox.ts';
import { Maker } from '../../src/edge/sandbox-events/maker.ts';
import { RECIPES } from '../../src/edge/sandbox-events/recipes.ts';
import { EVENT_TYPES } from '../../src/money/events/catalogue.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { parsed, pirogue } from './command.ts';
import { merchantEnv } from './listening.ts';

let api: Api;
let merchant: Merchant;
let receiver: Receiver;
let env: Record<string, string>;
before(async () => {
  api = await startApi();
  receiver = await startReceiver();
  merchant = await api.newMerchant();
  const databases = {
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  };
  env = { ...merchantEnv(api, merchant.sandbox.secret), ...databases };
  // Recipes run in this process: starting one for each of thirty takes its time.
  Object.assign(process.env, databases);
  const body = { url: receiver.url, events: ['*'] };
  assert.equal((await api.call('POST', '/webhooks', { key: merchant.sandbox.secret, body })).status, 201);
});
after(async () => {
  await receiver.close();
  await api.stop();
});

const STATUS: Record<string, string> = {
  'payment.created': 'pending',
  'refund.created': 'pending',
  'transfer.created': 'processing',
  'dispute.created': 'needs_response',
  'dispute.updated': 'under_review',
  'dispute.closed': 'lost',
};

describe('a triggered event really happens and is delivered', () => {
  for (const [type, recipe] of Object.entries(RECIPES)) {
    if (typeof recipe === 'string') continue;
    test(type, async () => {
      const maker = new Maker(sandboxOf(new Client(api.url, merchant.sandbox.secret)));
      const id = await recipe(maker);
      const { id: event, data } = await maker.eventOf(type, id);
      assert.equal(data.id, id);
      const status = STATUS[type] ?? (/^(payment|refund|transfer)\./.test(type) ? type.split('.')[1] : data.status);
      assert.equal(data.status, status);
      for (let waited = 0; !receiver.received.some((one) => one.event.id === event); waited += 50) {
        assert.ok(waited < 60_000, 'it is delivered');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
  }
});

test('--list shows every event type of the catalogue, and why some cannot be triggered', async () => {
  const listed = parsed(await pirogue(['trigger', '--list', '--json']));
  assert.deepEqual(listed.map(({ event }: { event: string }) => event).sort(), [...EVENT_TYPES].sort());
  const not = listed.filter(({ can_be_triggered }: { can_be_triggered: boolean }) => !can_be_triggered);
  assert.deepEqual(
    not.map(({ event }: { event: string }) => event).filter((event: string) => !/^(invoice|link)\./.test(event)),
    ['payment.late_success', 'payment.return_required'],
  );
  assert.match((await pirogue(['trigger', '--list'])).stdout, /invoice\.paid +no: invoices are live only\n/);
});

test('trigger prints the resource as text or as JSON', async () => {
  const text = await pirogue(['trigger', 'payment.failed'], env);
  assert.deepEqual([text.code, text.stderr], [0, '']);
  assert.match(text.stdout, /^id +trx_test_\w+\namount +5000\ncurrency +XAF\nstatus +failed\nreason +insufficient_funds\n/);
  assert.match(text.stdout, /\nevent +evt_test_\w+\n$/);
  const payment = parsed(await pirogue(['trigger', 'payment.expired', '--json'], env));
  assert.deepEqual([payment.status, payment.sandbox], ['expired', true]);
});

test('an event that cannot be triggered is rejected with advice', async () => {
  const live = await pirogue(['trigger', 'invoice.paid'], env);
  assert.equal(live.code, 2);
  assert.match(live.stderr, /invoice\.paid cannot be triggered: invoices are live only/);
  const empty = { ...env, SANDBOX_DATABASE_URL: api.databases.live, LIVE_DATABASE_URL: api.databases.sandbox };
  const elsewhere = await pirogue(['trigger', 'dispute.created'], empty);
  assert.match(elsewhere.stderr, /is not in the database of this machine\. This needs the database too/);
  const bare = merchantEnv(api, merchant.sandbox.secret);
  const without = await pirogue(['trigger', 'payment.expired'], bare);
  assert.match(without.stderr, /is not in the database of this machine/);
  assert.ok(!fs.existsSync(bare.DATA_DIR as string), 'no database is made to look in');
  const key = await pirogue(['trigger', 'payment.created'], { ...env, PIROGUE_KEY: merchant.live.secret });
  assert.match(key.stderr, /this is a live key/);
  const none = await pirogue(['trigger', 'payment.created'], { ...env, PIROGUE_KEY: '' });
  assert.match(none.stderr, /no key: .*keys\.json does not exist\. Give one with --key or PIROGUE_KEY/);
});
