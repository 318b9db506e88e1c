import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { applyOne } from '../../src/core/payments/applier.ts';
import type { Collection, Reading, Submission } from '../../src/providers/adapters/contract.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';

/** A provider that answers what the test wrote down, about the attempt it was asked for last; of others it knows nothing new. */
class Scripted implements TestProvider {
  readonly name: string;
  submission: Submission | (() => Promise<Submission>) = { kind: 'unavailable', message: 'closed' };
  readings: Reading[] = [];
  readonly submitted: Collection[] = [];
  /** What a further step leads to. */
  further: Submission = { kind: 'unavailable', message: 'closed' };
  /** What the database held of each attempt at the moment it was handed over. */
  onSubmit: (collection: Collection) => Promise<void> = async () => {};

  constructor(name: string) {
    this.name = name;
  }

  async submit(collection: Collection): Promise<Submission> {
    this.submitted.push(collection);
    clock.advance(1);
    await this.onSubmit(collection);
    return typeof this.submission === 'function' ? this.submission() : this.submission;
  }

  readonly continue = async (): Promise<Submission> => this.further;

  async read({ attempt_id }: Collection): Promise<Reading> {
    const last = this.submitted.at(-1)?.attempt_id === attempt_id;
    return (last && this.readings.shift()) || { kind: 'pending', poll_after_ms: 1_000_000_000 };
  }
}

const clock = new FakeClock();
const [first, second] = [new Scripted('first'), new Scripted('second')];
const api = await startApi({
  clock,
  providers: new Registry({ sandbox: [first, second], live: [first, second] }),
});
after(() => api.stop());

const merchant = await api.newMerchant({ verification_level: 1 });
const key = merchant.live.secret;
const { db } = api.deps.stores.live;

const ACCEPTED: Submission = {
  kind: 'accepted',
  provider_ref: 'ref-1',
  next: { kind: 'confirm' },
  poll_after_ms: 100,
};
const UNAVAILABLE: Submission = { kind: 'unavailable', message: 'connection refused' };
const proof = { provider_ref: 'ref-1', amount_minor: 100_000n, currency: 'XAF' };

/** A phone of its own for each charge: how often one is prompted is limited. */
let phones = 650_000_000;
const nextPhone = () => String(++phones);

/** A payment of 1,000 XAF charged with the two providers answering so. */
async function charged(a: Scripted['submission'], b: Scripted['submission'], readings: Reading[] = []) {
  Object.assign(first, { submission: a, readings: [...readings] });
  Object.assign(second, { submission: b, readings: [...readings] });
  first.submitted.length = 0;
  second.submitted.length = 0;
  const { id } = (await api.call('POST', '/payments', { key, body: { amount: 1000, currency: 'XAF', phone: '1' } })).body
    .transaction;
  const answer = await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: nextPhone() } },
  });
  return { id, answer, asked: [first.submitted.length, second.submitted.length] };
}

const retrieve = async (id: string) => (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
const attempts = async (id: string) =>
  (await retrieve(id)).attempts.map(({ provider, status }: Record<string, string>) => `${provider} ${status}`);

test('unavailable: the next provider is tried, and both attempts are stored', async () => {
  const { id, answer, asked } = await charged(UNAVAILABLE, ACCEPTED);
  assert.deepEqual([answer.status, asked], [202, [1, 1]]);
  assert.deepEqual(await attempts(id), ['first unavailable', 'second open']);
  assert.notEqual(first.submitted[0]?.provider_key, second.submitted[0]?.provider_key);
});

test('502 when all providers are unavailable: the payment is still pending and can be charged again', async () => {
  const { id, answer, asked } = await charged(UNAVAILABLE, UNAVAILABLE);
  assert.deepEqual([answer.status, asked, (await retrieve(id)).status], [502, [1, 1], 'pending']);
  first.submission = ACCEPTED;
  const again = await api.call('POST', `/payments/${id}`, {
    key,
    body: { channel: 'cm.mtn', data: { phone: nextPhone() } },
  });
  assert.equal(again.status, 202);
  assert.deepEqual(await attempts(id), ['first unavailable', 'second unavailable', 'first open']);
});

for (const [seen, reading] of [
  ['open', { kind: 'pending', poll_after_ms: 1_000_000_000 }],
  ['unknown', { kind: 'not_found' }],
] as [string, Reading][]) {
  test(`"unavailable" after a poll has found the attempt ${seen} does not close it, and no other provider is tried`, async () => {
    first.onSubmit = async ({ attempt_id }) => {
      await db.run(sql`update attempts set next_poll_at = ${new Date(clock.now())} where id = ${attempt_id}`);
      const status = () => db.maybe<{ status: string }>(sql`select status from attempts where id = ${attempt_id}`);
      await until(status, (row) => row?.status === seen);
    };
    const { id, asked } = await charged(UNAVAILABLE, ACCEPTED, [reading]);
    first.onSubmit = async () => {};
    assert.deepEqual([asked, await attempts(id), (await retrieve(id)).status], [[1, 0], [`first ${seen}`], 'processing']);
  });
}

test('502 when the provider cannot accept the code: the charge stays in progress, and the code can be sent again', async () => {
  const { id } = await charged({ ...ACCEPTED, next: { kind: 'otp' } } as Submission, ACCEPTED);
  const send = () =>
    api.call('POST', `/payments/${id}`, { key, body: { channel: 'cm.mtn', data: { phone: nextPhone(), otp: '123456' } } });
  first.further = UNAVAILABLE;
  assert.equal((await send()).status, 502);
  assert.deepEqual([(await retrieve(id)).status, await attempts(id)], ['processing', ['first open']]);
  first.further = ACCEPTED;
  assert.equal((await send()).status, 202);
});

const NOT_TRIED: [what: string, submission: Submission, status: number][] = [
  ['unknown', { kind: 'unknown', message: 'timeout after the request left' }, 202],
  ['duplicate', { kind: 'duplicate' }, 202],
  ['refused', { kind: 'refused', reason: 'wrong_pin', message: 'PIN' }, 402],
  ['succeeded', { kind: 'succeeded', ...proof }, 202],
];

for (const [what, submission, status] of NOT_TRIED) {
  test(`${what}: no other provider is tried`, async () => {
    const { answer, asked } = await charged(submission, ACCEPTED);
    assert.deepEqual([answer.status, asked], [status, [1, 0]]);
  });
}

test('unknown is not a decline: the payment stays processing until the provider returns evidence', async () => {
  const readings: Reading[] = [
    { kind: 'not_found' },
    ...Array<Reading>(5).fill({ kind: 'unreadable', message: '<html>' }),
    { kind: 'succeeded', ...proof },
  ];
  const { id } = await charged({ kind: 'unknown', message: 'timeout' }, ACCEPTED, readings);
  /** Whether the answer to a poll is stored: until then the attempt is leased, and comes due again when the clock moves. */
  const isPolled = async (left: number) => {
    if (first.readings.length === left) return false;
    const leased = new Date(clock.now() + 30_000);
    return (await db.all(sql`select 1 from attempts where payment_id = ${id} and next_poll_at <> ${leased}`)).length > 0;
  };
  for (let i = 0; i < 6; i++) {
    const left = first.readings.length;
    clock.advance(300_000);
    await until(() => isPolled(left), Boolean);
    assert.equal((await retrieve(id)).status, 'processing');
  }
  clock.advance(300_000);
  await until(
    () => retrieve(id),
    ({ status }) => status === 'succeeded',
  );
  assert.deepEqual(await attempts(id), ['first succeeded']);
});

test('intent and provider key are stored, and no transaction is open, when the provider is called', async () => {
  let seen: unknown;
  first.onSubmit = async ({ attempt_id, provider_key }) => {
    const rows = await db.all(
      sql`select status, provider_key = ${provider_key} as same_key from attempts where id = ${attempt_id}`,
    );
    // Background work may be between two statements. A transaction of the charge would be open until the provider has answered.
    const open = () =>
      db.all(sql`select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`);
    const locked = await until(open, ({ length }) => length === 0);
    seen = { rows, locked };
  };
  await charged(ACCEPTED, ACCEPTED);
  first.onSubmit = async () => {};
  assert.deepEqual(seen, { rows: [{ status: 'created', same_key: true }], locked: [] });
});

const MISMATCHES: [what: string, evidence: object][] = [
  ['less', { amount_minor: 99_999n }],
  ['more', { amount_minor: 100_001n }],
  ['another currency', { currency: 'XOF' }],
];

for (const [what, evidence] of MISMATCHES) {
  test(`evidence of ${what} than requested leaves the payment processing and makes nothing available`, async () => {
    const { id, answer } = await charged({ kind: 'succeeded', ...proof, ...evidence }, ACCEPTED, [
      { kind: 'succeeded', ...proof, ...evidence },
    ]);
    assert.equal(answer.status, 202);
    clock.advance(400_000);
    await until(
      async () => first.readings.length,
      (length) => length === 0,
    );
    assert.deepEqual([(await retrieve(id)).status, await attempts(id)], ['processing', ['first unknown']]);
    assert.equal((await db.all(sql`select 1 from journals where subject_id = ${id} and kind = 'payment.succeeded'`)).length, 0);
  });
}

test('500 when the provider throws; the payment then ends by the result of a poll', async () => {
  const evidence: Reading[] = [{ kind: 'succeeded', ...proof }];
  const { id, answer } = await charged(() => Promise.reject(new Error('secret inside')), ACCEPTED, evidence);
  assert.equal(answer.status, 500);
  assert.doesNotMatch(JSON.stringify(answer.body), /secret inside/);
  assert.deepEqual([(await retrieve(id)).status, await attempts(id)], ['pending', ['first created']]);
  clock.advance(61_000);
  await until(
    () => retrieve(id),
    ({ status }) => status === 'succeeded',
  );
});

test('live money is retained: pending, not settled', async () => {
  const team = await api.newMerchant({ verification_level: 1 });
  Object.assign(first, { submission: { kind: 'succeeded', ...proof } });
  const { id } = (
    await api.call('POST', '/payments', {
      key: team.live.secret,
      body: { amount: 1000, currency: 'XAF', phone: '1' },
    })
  ).body.transaction;
  const charge = await api.call('POST', `/payments/${id}`, {
    key: team.live.secret,
    body: { channel: 'cm.mtn', data: { phone: nextPhone() } },
  });
  assert.deepEqual([charge.status, charge.body.transaction.status, charge.body.transaction.settled], [202, 'succeeded', false]);
  const balances = await readBalances(db, team.team.id, 'XAF');
  assert.deepEqual([balances.get('pending'), balances.get('available') ?? 0n, balances.get('fee_income')], [98_000n, 0n, 2_000n]);
});

test('money received after a decline is booked into suspense and announced, and the payment stays failed', async () => {
  const { id, answer } = await charged({ kind: 'refused', reason: 'operator_declined', message: 'no' }, ACCEPTED);
  assert.equal(answer.status, 402);
  const [attempt] = (await retrieve(id)).attempts;
  const { stores } = api.deps;
  const late = () =>
    applyOne(api.deps, stores.live, {
      team_id: merchant.team.id,
      payment_id: id,
      attempt: { id: attempt.id, update: { status: 'succeeded', next_poll_at: null } },
      occurrences: [{ kind: 'captured', attempt_id: attempt.id, amount_minor: 100_000n, available_at: null }],
    });
  await Promise.all([late(), late(), late()]);
  assert.equal((await retrieve(id)).status, 'failed');
  const events = await db.all<{ type: string }>(sql`select type from events where resource_id = ${id} order by sequence`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payment.created', 'payment.failed', 'payment.late_success'],
  );
  const postings = await db.all<Record<string, unknown>>(sql`
    select p.debit, p.credit, p.amount_minor from postings p join journals j on j.team_id = p.team_id and j.id = p.journal_id
    where j.subject_id = ${id} and j.kind = 'payment.late_success'`);
  assert.deepEqual(postings, [{ debit: 'clearing', credit: 'hold', amount_minor: 100_000n }]);
});
