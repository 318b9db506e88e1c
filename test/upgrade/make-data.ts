import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Simulator, SimulatorKind } from '../../simulators/kit/simulator.ts';
import type { Old } from './make.ts';

const ORDER = { amount: 5_000, currency: 'XAF', email: 'awa@example.com', name: 'Awa Ngo', phone: '+237650000000' };
const CHANNEL = 'cm.mtn';

/** What follows a payment until it no longer moves. */
async function settled(old: Old, key: string, route: string, wanted: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await old.call(key, 'GET', route);
    const thing = answer.transaction ?? answer.refund ?? answer.transfer;
    if (wanted.includes(thing.status)) return;
    await sleep(200);
  }
  throw new Error(`${route} never became ${wanted.join(' or ')}`);
}

const create = async (old: Old, key: string, fields: object = {}, headers: Record<string, string> = {}): Promise<string> =>
  (await old.call(key, 'POST', '/payments', { ...ORDER, ...fields }, headers)).transaction.id;

const charge = (old: Old, key: string, id: string, phone: string) =>
  old.call(key, 'POST', `/payments/${id}`, { channel: CHANNEL, data: { phone } });

async function paid(old: Old, key: string, fields: object = {}, phone = '650000000'): Promise<string> {
  const id = await create(old, key, fields);
  await charge(old, key, id, phone);
  await settled(old, key, `/payments/${id}`, ['succeeded']);
  return id;
}

const refund = async (old: Old, key: string, payment: string, amount?: number): Promise<string> =>
  (await old.call(key, 'POST', '/refunds', { payment, reason: 'requested_by_customer', ...(amount ? { amount } : {}) })).refund
    .id;

/** The demo team's sandbox: every status that comes to an end. */
export async function fillSandbox(old: Old): Promise<void> {
  const key = old.keys.sandbox.secret;
  const call = (method: string, route: string, body?: unknown, headers?: Record<string, string>) =>
    old.call(key, method, route, body, headers);
  await call('POST', '/webhooks', { url: 'https://127.0.0.1:9/hooks', events: ['*'] });
  const off = await call('POST', '/webhooks', { url: 'https://127.0.0.1:9/other', events: ['payment.succeeded'] });
  await call('PATCH', `/webhooks/${off.webhook.id}`, { active: false });

  const late = await create(old, key, { reference: 'expired', expires: { in: 5 } });
  await old.command('sandbox', 'clock', 'advance', '10m');
  await settled(old, key, `/payments/${late}`, ['expired']);
  await call('DELETE', `/payments/${await create(old, key, { reference: 'cancelled' })}`);
  for (const phone of ['650000001', '650000002', '650000004']) await charge(old, key, await create(old, key), phone);
  const slow = await create(old, key, { reference: 'timed-out' });
  await charge(old, key, slow, '650000003');
  await settled(old, key, `/payments/${slow}`, ['failed']);

  const metadata = { order: 7, nested: { of: ['anything'] } };
  const items = [{ name: 'Mangoes', quantity: 2.5 }];
  await paid(old, key, { reference: 'succeeded', metadata, items, bearer: 'customer', description: 'Ten mangoes' });
  const half = await paid(old, key, { reference: 'half-refunded' });
  await settled(old, key, `/refunds/${await refund(old, key, half, 2_000)}`, ['succeeded']);
  const back = await paid(old, key, { reference: 'refunded' });
  await settled(old, key, `/refunds/${await refund(old, key, back)}`, ['succeeded']);
  const stuck = await paid(old, key, { reference: 'refund-fails' }, '650000009');
  await settled(old, key, `/refunds/${await refund(old, key, stuck)}`, ['failed']);
  await paid(old, key, { reference: 'tranches', amount: 1_200_000 });

  for (const ending of [null, 'dispute.won', 'dispute.lost']) {
    const id = await paid(old, key, { reference: ending ?? 'disputed' });
    await old.command('trigger', 'dispute.created', '--payment', id);
    if (ending) await old.command('trigger', ending, '--payment', id);
  }

  const split = { type: 'percentage', value: 10 };
  const { account } = await call('POST', '/accounts', { name: 'Stall 12', email: 'stall@example.com', split });
  const shared = await create(old, key, { reference: 'shared' });
  const synced = await call('POST', '/payments', { ...ORDER, reference: 'synced' }, { 'x-sync': account.id });
  for (const id of [shared, synced.transaction.id]) await charge(old, key, id, '650000000');
  await settled(old, key, `/payments/${synced.transaction.id}`, ['succeeded']);

  await old.command('sandbox', 'fund', '--currency', 'XAF', '--amount', '500000');
  const { beneficiary } = await call('POST', '/beneficiaries', { name: 'Paul Etoa', phone: '+237650000000', channel: CHANNEL });
  const wanted: [object, string[]][] = [
    [{ beneficiary: beneficiary.id }, ['succeeded']],
    [{ recipient: '+237650000001', channel: CHANNEL }, ['failed']],
    [{ recipient: '+237650000004', channel: CHANNEL }, ['cancelled']],
  ];
  for (const [to, statuses] of wanted) {
    const made = await call('POST', '/transfers', { amount: 1_000, currency: 'XAF', ...to });
    await settled(old, key, `/transfers/${made.transfer.id}`, statuses);
  }

  const person = await call('POST', '/customers', { name: 'Ines Mba', email: 'ines@example.com', phone: '+237650000777' });
  const gone = await call('POST', '/customers', { name: 'Jean Oyono', email: 'jean@example.com' });
  await create(
    old,
    key,
    { customer_id: person.customer.id, email: undefined, phone: undefined },
    { 'idempotency-key': 'order-7' },
  );
  await paid(old, key, { reference: 'of-an-erased-customer', email: 'jean@example.com', phone: undefined });
  await call('DELETE', `/customers/${gone.customer.id}`);
  await old.command('keys', 'create', '--environment', 'sandbox', '--kind', 'restricted', '--scopes', 'payment.read');
}

export interface LiveShop {
  team: string;
  key: string;
  stop(): Promise<void>;
}

/** A verified team whose provider is the simulator that comes with the old program. */
export async function fillLive(old: Old, checkout: string): Promise<LiveShop> {
  const load = (name: string) => import(path.join(checkout, 'twins', name));
  const { startTwin } = (await load('kit/twin.ts')) as { startTwin(kind: SimulatorKind, options: object): Promise<Simulator> };
  const { TWINS } = (await load('catalogue.ts')) as { TWINS: readonly SimulatorKind[] };
  const kind = TWINS.find(({ name }) => name === 'pawapay') as SimulatorKind;
  const twin = await startTwin(kind, { delay_ms: 50 });
  const { id: team } = await old.command('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example');
  await old.command('teams', 'verify', team, '--level', '4');
  const { key } = await old.command('keys', 'create', '--team', team, '--environment', 'live', '--kind', 'secret');
  const credentials = Object.entries(twin.credentials).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const added = await old.command('providers', 'add', 'pawapay', '--team', team, ...credentials);
  twin.settings.set('callback_url', `${old.url}/_callbacks/${added.id}`);
  await old.command('rules', 'add', '--team', team, '--channel', CHANNEL, '--order', 'pawapay');
  await old.command('blocks', 'add', '--team', team, '--phone', '+237670112233', '--note', 'chargebacks');
  await old.command('abuse', 'on', '--team', team);
  await sleep(1_500);

  await old.call(key, 'POST', '/webhooks', { url: 'https://shop.example/hooks', active: false });
  const phone = '+237670100100';
  const order = { phone, email: 'marie@example.com' };
  await paid(old, key, { ...order, reference: 'live-succeeded', amount: 20_000 }, phone);
  const half = await paid(old, key, { ...order, reference: 'live-half-refunded', amount: 20_000 }, phone);
  await settled(old, key, `/refunds/${await refund(old, key, half, 4_000)}`, ['succeeded']);
  await create(old, key, { ...order, reference: 'live-pending' });
  const to = { recipient: phone, channel: CHANNEL };
  const transfer = await old.call(key, 'POST', '/transfers', { amount: 1_000, currency: 'XAF', ...to });
  await settled(old, key, `/transfers/${transfer.transfer.id}`, ['succeeded']);

  const lines = { items: [{ name: 'Mangoes', quantity: 12.5, unit_price: 850 }], currency: 'XAF' };
  const invoice = { ...lines, customer: { name: 'Awa Ngo', email: 'awa@example.com' }, due_date: '2030-08-31' };
  await old.call(key, 'POST', '/invoices', invoice);
  const sent = await old.call(key, 'POST', '/invoices', invoice);
  await old.call(key, 'POST', `/invoices/${sent.invoice.id}/send`);
  const cancelled = await old.call(key, 'POST', '/invoices', invoice);
  await old.call(key, 'POST', `/invoices/${cancelled.invoice.id}/send`);
  await old.call(key, 'POST', `/invoices/${cancelled.invoice.id}/cancel`);
  await old.call(key, 'POST', '/links', { title: 'Evening class', amount: 15_000, currency: 'XAF', max_uses: 20 });
  return { team, key, stop: () => twin.stop() };
}

/** Statuses that last only as long as nobody answers: under a delay of ten minutes they stay. */
export async function hold(old: Old, live: string): Promise<void> {
  const key = old.keys.sandbox.secret;
  await create(old, key, { reference: 'pending', expires: { in: 43_200 } });
  await charge(old, key, await create(old, key, { reference: 'processing', expires: { in: 43_200 } }), '650000000');
  await charge(old, key, await create(old, key, { reference: 'first-tranche', amount: 1_200_000 }), '650000000');
  await old.call(key, 'POST', '/transfers', { amount: 1_500, currency: 'XAF', recipient: '+237650000003', channel: CHANNEL });
  await create(old, live, { reference: 'live-pending-too', phone: '+237670100100' });
}
