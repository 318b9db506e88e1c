import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rememberMethods } from '../../src/core/charge/saved.ts';
import { saveMethod } from '../../src/core/customers/methods.ts';
import { erasureSweep } from '../../src/edge/erasure/sweeps.ts';
import { methodSweep } from '../../src/core/customers/sweeps.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { dumpDatabase, FakeClock, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { newPayment, Payer } from './payer.ts';

const sandbox = sandboxProvider({ clock: systemClock, delay_ms: 50 });
/** Whether payers take their time to confirm. */
let payersWait = false;
const provider: Provider = {
  ...sandbox,
  read: async (collection) => (payersWait ? { kind: 'pending', poll_after_ms: 50 } : sandbox.read(collection)),
};

/** Numbers that payers ask us to remember, and what nobody may learn of them. */
const api = await startApi({ providers: new Registry({ sandbox: [provider], live: [] }) });
after(() => api.stop());

let people = 0;
/** A payer nobody knows yet: their number, and the address the merchant knows them by. */
const newPerson = () => {
  const digits = `6501${String(++people).padStart(2, '0')}967`;
  return { number: `+237${digits}`, typed: digits, email: `payer${people}@example.com` };
};

const payment = async (id: string, key?: string) =>
  (await api.call('GET', `/payments/${id}`, key ? { key } : {})).body.transaction;
const succeeded = (id: string, key?: string) =>
  until(
    () => payment(id, key),
    ({ status }) => status === 'succeeded',
  );
const methodsOf = async (customer: string, key?: string) =>
  (await api.call('GET', `/customers/${customer}/payment_methods`, key ? { key } : {})).body.items;
const idIn = (page: string) => /name="saved_method" value="([^"]+)"/.exec(page)?.[1];

type Person = ReturnType<typeof newPerson>;

/** Opens a page for this payer. @returns it, with what it shows */
async function opened(person: Person, changes: object = {}, key?: string) {
  const made = await newPayment(api, { phone: undefined, email: person.email, ...changes }, key);
  const payer = new Payer(made.url);
  return { ...made, payer, page: (await payer.get()).body as string };
}

/** Pays by typing the number, asking that it be remembered unless told otherwise. */
async function paid(person: Person, fields: Record<string, string> = { remember: '1' }, changes: object = {}, key?: string) {
  const { id, payer } = await opened(person, changes, key);
  const answer = await payer.submit({ channel: 'cm.mtn', phone: person.typed, ...fields });
  assert.equal(answer.status, 303);
  return succeeded(id, key);
}

test('a number is saved only when its payer ticks the box and the payment succeeds', async () => {
  const [asks, asksNot, fails] = [newPerson(), newPerson(), newPerson()];
  const { customer } = await paid(asks);
  const [method] = await methodsOf(customer);
  const { type, channel, last4, brand } = method;
  assert.deepEqual({ type, channel, last4, brand }, { type: 'mobile_money', channel: 'cm.mtn', last4: '1967', brand: null });
  const other = await paid(asksNot, {});
  assert.deepEqual(await methodsOf(other.customer), []);
  assert.doesNotMatch((await opened(asksNot)).page, /saved_method/);
  const { id, payer } = await opened(fails);
  await payer.submit({ channel: 'cm.mtn', phone: '650000001', remember: '1' });
  const failed = await until(
    () => payment(id),
    ({ status }) => status === 'failed',
  );
  assert.deepEqual(await methodsOf(failed.customer), []);
});

for (const [what, last, others] of [
  ['the same number', { remember: null }, []],
  ['another number', { payer: '+237650188855', remember: null }, []],
  ['another number, to be saved too,', { payer: '+237650188855', remember: true }, ['8855']],
  ['a number that was deleted', { payer: '+237650188855', remember: true, method_id: 'pm_test_gone' }, []],
] as const)
  test(`a number whose payer ticked the box for one tranche, and sent ${what} for the last, is saved`, async () => {
    const person = newPerson();
    const { customer } = await paid(person, {});
    const team_id = api.team.id;
    const first = { team_id, status: 'succeeded', channel: 'cm.mtn', payer: person.number, remember: true, method_id: null };
    const declined = { ...first, status: 'failed', payer: '+237650177744' };
    const after = { team_id, status: 'succeeded', customer_id: customer };
    const move = { before: { ...after, status: 'partial' }, after, attempts: [first, declined, { ...first, ...last }] };
    const context = { environment: 'sandbox', at: api.deps.clock.now() };
    const listener = rememberMethods(api.deps.secrets);
    await api.deps.stores.sandbox.db.transaction((tx) => listener(tx, context as never, [move as never]));
    const methods: { last4: string }[] = await methodsOf(customer);
    assert.deepEqual(methods.map(({ last4 }) => last4).toSorted(), [person.typed.slice(-4), ...others]);
  });

for (const last of ['a saved number', 'a number to be saved'])
  test(`after several tranches the number of the last one is offered (${last}), in whatever order the tranches are read`, async () => {
    const person = newPerson();
    const { customer } = await paid(person);
    const [method] = await methodsOf(customer);
    const team_id = api.team.id;
    const now = api.deps.clock.now();
    const one = { team_id, status: 'succeeded', channel: 'cm.mtn', remember: true, method_id: null };
    const saved = { ...one, payer: person.number, remember: null, method_id: method.id };
    const [first, second] = ['+237650188811', '+237650188822'].map((payer) => ({ ...one, payer }));
    const order = last === 'a saved number' ? [first, second, saved] : [saved, first, second];
    const attempts = order.map((attempt, at) => ({ ...attempt, closed_at: new Date(now + at) })).toReversed();
    const after = { team_id, status: 'succeeded', customer_id: customer };
    const move = { before: { ...after, status: 'partial' }, after, attempts };
    const listener = rememberMethods(api.deps.secrets);
    const context = { environment: 'sandbox', at: now + 60_000 };
    await api.deps.stores.sandbox.db.transaction((tx) => listener(tx, context as never, [move as never]));
    assert.match((await opened(person)).page, last === 'a saved number' ? /•••• 67/ : /•••• 22/);
    const used = (await methodsOf(customer)).map(({ last_used_at }: { last_used_at: string }) => Date.parse(last_used_at) - now);
    assert.deepEqual(used.toSorted(), [0, 1, 2]);
  });

test('a payment that was paid before another one does not make its number the last used one', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  await paid({ ...person, typed: '650199944' });
  const [method] = await methodsOf(customer).then((all) => all.filter(({ last4 }: { last4: string }) => last4 !== '9944'));
  const team_id = api.team.id;
  const one = { team_id, status: 'succeeded', channel: 'cm.mtn', payer: person.number, closed_at: new Date(method.last_used_at) };
  const attempts = [
    { ...one, remember: true, method_id: null },
    { ...one, remember: null, method_id: method.id },
  ];
  const after = { team_id, status: 'succeeded', customer_id: customer };
  const move = { before: { ...after, status: 'partial' }, after, attempts };
  const context = { environment: 'sandbox', at: api.deps.clock.now() };
  const listener = rememberMethods(api.deps.secrets);
  await api.deps.stores.sandbox.db.transaction((tx) => listener(tx, context as never, [move as never]));
  assert.match((await opened(person)).page, /•••• 44/);
});

test('the box is never ticked by default, and works without JavaScript', async () => {
  const { page } = await opened(newPerson());
  assert.match(page, /<input type="checkbox" name="remember" value="1">/);
});

test('a returning payer is offered the last number, masked, and pays with it in one step; no page contains its digits', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  const { id, payer, page } = await opened(person);
  assert.match(page, /<details class="means" name="means" open><summary>MTN Mobile Money •••• 67<\/summary>/);
  const method = idIn(page) as string;
  payersWait = true;
  const answer = await payer.submit({ saved_method: method });
  assert.equal(answer.status, 303);
  const waiting = (await payer.get()).body as string;
  payersWait = false;
  assert.match(waiting, /•••• 67/);
  const done = await succeeded(id);
  const result = (await payer.get()).body as string;
  for (const text of [page, waiting, result, JSON.stringify(answer)]) {
    assert.ok(!text.replace(/[\s\u00a0]/g, '').includes(person.typed.slice(1)), 'the number stands in a page');
  }
  assert.deepEqual([done.payment_method, done.customer], [method, customer]);
  const event = (await api.call('GET', `/events?type=payment.succeeded&per_page=100`)).body.items.find(
    (one: { data: { id: string } }) => one.data.id === id,
  );
  assert.equal(event.data.payment_method, method);
  assert.equal((await methodsOf(customer)).length, 1, 'the same number is saved once');
});

test('the number that was used last is the one offered', async () => {
  const person = newPerson();
  await paid(person);
  await paid({ ...person, typed: '650199988' });
  assert.match((await opened(person)).page, /•••• 88/);
  await paid(person);
  assert.match((await opened(person)).page, /•••• 67/);
});

test('a saved number is never shared between merchants, customers or environments', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  const method = idIn((await opened(person)).page) as string;
  const other = await api.newMerchant();
  const foreign = await opened(person, {}, other.sandbox.secret);
  assert.doesNotMatch(foreign.page, /saved_method|•••• 67/);
  const live = await api.newMerchant({ verification_level: 1 });
  const inLive = await opened(person, {}, live.live.secret);
  assert.doesNotMatch(inLive.page, /saved_method/);
  const stranger = await opened(newPerson());
  for (const { payer } of [foreign, inLive, stranger]) {
    const { status, body } = await payer.json({ saved_method: method });
    assert.deepEqual([status, Object.keys(body.errors)], [422, ['saved_method']]);
    const again = await payer.submit({ saved_method: method });
    assert.equal(again.status, 422);
    assert.match(again.body, /no longer saved/);
  }
  assert.equal((await payment(stranger.id)).status, 'pending');
  assert.equal((await methodsOf(customer)).length, 1);
});

test('a payer whose identity was typed into a public page is unverified: with a public key no number is saved or offered', async () => {
  const person = newPerson();
  await paid(person);
  const { public: key } = api.keys.sandbox;
  const { id, payer, page } = await opened(person, {}, key);
  assert.doesNotMatch(page, /saved_method|remember|•••• 67/);
  const fresh = newPerson();
  const { customer } = await paid(fresh, { remember: '1' }, {}, api.keys.sandbox.secret);
  assert.equal((await methodsOf(customer)).length, 1);
  const method = idIn((await opened(person)).page) as string;
  assert.equal((await payer.json({ saved_method: method })).status, 422);
  await payer.submit({ channel: 'cm.mtn', phone: '650199977', remember: '1' });
  const done = await succeeded(id);
  assert.deepEqual(
    (await methodsOf(done.customer)).map(({ last4 }: { last4: string }) => last4),
    [person.typed.slice(-4)],
  );
});

test('a browser other than the first neither sees nor uses the saved number', async () => {
  const person = newPerson();
  await paid(person);
  const { url, payer, page } = await opened(person);
  const method = idIn(page) as string;
  const late = new Payer(url);
  await late.get();
  assert.equal((await payer.submit({ saved_method: method })).status, 303);
  const { status, body } = await late.json({ saved_method: method });
  assert.ok([400, 403].includes(status), `${status} ${JSON.stringify(body)}`);
  const seen = (await late.get()).body as string;
  assert.doesNotMatch(seen, /•••• 67|saved_method/);
});

test('two browsers that pay with the saved number at once make one charge', async () => {
  const person = newPerson();
  await paid(person);
  const { id, url, page } = await opened(person);
  const method = idIn(page) as string;
  const browsers = Array.from({ length: 8 }, () => new Payer(url));
  await Promise.all(browsers.map((browser) => browser.get()));
  const answers = await Promise.all(browsers.map((browser) => browser.json({ saved_method: method })));
  assert.equal(answers.filter(({ status }) => status === 202).length, 1);
  assert.equal((await succeeded(id)).attempts.length, 1);
});

test('a malicious id is rejected, without a 500', async () => {
  const person = newPerson();
  await paid(person);
  const { payer } = await opened(person);
  for (const saved_method of ["' or 1=1", 'pm_test_', 'x'.repeat(5_000), '\u0000', 7, {}, [], null]) {
    const { status } = await payer.json({ saved_method });
    assert.equal(status, 422, JSON.stringify(saved_method));
  }
});

test('a number that the merchant deletes, or whose owner is erased, is removed at once', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  const { payer, page } = await opened(person);
  const method = idIn(page) as string;
  assert.equal((await api.call('DELETE', `/customers/${customer}/payment_methods/${method}`)).status, 200);
  assert.doesNotMatch((await payer.get()).body, /saved_method/);
  assert.equal((await payer.json({ saved_method: method })).status, 422);
  await paid(person);
  const open = await opened(person);
  assert.equal((await api.call('DELETE', `/customers/${customer}`)).status, 200);
  assert.doesNotMatch((await open.payer.get()).body, /saved_method/);
  assert.deepEqual(await methodsOf(customer), []);
});

test('a number that is charged after its deletion is not saved again', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  const { id, payer, page } = await opened(person);
  const method = idIn(page) as string;
  await payer.submit({ saved_method: method });
  await api.call('DELETE', `/customers/${customer}/payment_methods/${method}`);
  await succeeded(id);
  assert.deepEqual(await methodsOf(customer), []);
});

test('saving a number during the erasure of its owner does not deadlock', async () => {
  const { number, ...person } = newPerson();
  const { customer: id } = await paid({ number, ...person });
  const { db } = api.deps.stores.sandbox;
  const [payment_id] = (await db.all<{ id: string }>(sql`select id from payments where customer_id = ${id}`)).map(
    (row) => row.id,
  );
  const customer = { team_id: api.team.id, id };
  const means = {
    type: 'mobile_money',
    channel: 'cm.mtn',
    token: number,
    provider_account: null,
    brand: null,
    last4: null,
  } as const;
  let runs = 0;
  const asked = await db.transaction(async (tx) => {
    runs++;
    // As a payment that is just succeeding: it is locked first, then its number is saved.
    await tx.run(sql`select 1 from payments where id = ${payment_id ?? ''} for update`);
    const erasing = api.call('DELETE', `/customers/${id}`);
    await until(
      () =>
        db.all(sql`
          select 1 as waits from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database() limit 1`),
      (waiting) => waiting.length > 0,
    );
    // Longer than deadlock_timeout: the one who would close the circle is found, and runs again.
    await tx.run(sql`select pg_sleep(1.2)`);
    await saveMethod(tx, api.deps.secrets, { environment: 'sandbox', at: api.deps.clock.now() }, customer, means);
    return { erasing };
  });
  assert.deepEqual([(await asked.erasing).status, runs], [200, 1]);
  assert.deepEqual(await methodsOf(id), []);
});

test('a number that was saved during the erasure of its owner is removed by the second pass', async () => {
  const [gone, stays] = [newPerson(), newPerson()];
  const [erased, other] = [await paid(gone), await paid(stays)];
  assert.equal((await api.call('DELETE', `/customers/${erased.customer}`)).status, 200);
  const { db } = api.deps.stores.sandbox;
  // As a success that did not see the erasure would leave it.
  await db.run(sql`update payment_methods set customer_id = ${erased.customer} where customer_id = ${other.customer}`);
  const clock = new FakeClock();
  clock.advance(31_000);
  while ((await erasureSweep({ ...api.deps, clock }, api.deps.stores.sandbox).round()) > 0);
  assert.deepEqual(await methodsOf(erased.customer), []);
});

test('a number without a payment for 400 days is deleted', async () => {
  const person = newPerson();
  const { customer } = await paid(person);
  const clock = new FakeClock();
  const sweep = methodSweep({ clock }, api.deps.stores.sandbox);
  clock.advance(399 * 86_400_000);
  await sweep.round();
  assert.equal((await methodsOf(customer)).length, 1);
  clock.advance(2 * 86_400_000);
  while ((await sweep.round()) > 0);
  assert.deepEqual(await methodsOf(customer), []);
});

test('a saved number is not offered for a payment in a currency that it cannot pay', async () => {
  const person = newPerson();
  await paid(person);
  assert.doesNotMatch((await opened(person, { currency: 'NGN' })).page, /saved_method/);
});

test('the number of a saved method is stored encrypted only', async () => {
  const person = newPerson();
  await paid(person);
  const rows = await dumpDatabase(api.deps.stores.sandbox.db);
  const saved = rows.split('\n').filter((line) => line.includes('s1.') || line.includes('s2.') || /\(\d+,pm_test_/.test(line));
  assert.ok(saved.length > 0);
  assert.ok(saved.every((line) => !line.includes(person.typed)));
});
