import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fitCharge, readInstrument } from '../../src/core/charge/instrument.ts';
import { type Intent, start } from '../../src/core/charge/start.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

/** Charges share a transaction, but neither what one of them waits for nor why it is refused. */
const provider = new Scripted();
let api: Api;
before(async () => {
  api = await startApi({
    clock: new FakeClock(),
    workers: false,
    providers: new Registry({ sandbox: [provider], live: [provider] }),
  });
});
after(() => api.stop());

let phones = 650_400_000;

/** Live payments of a verified merchant, ready to be started in one turn of the event loop. */
async function intentsOf(merchant: Merchant, count: number, changes: Partial<Intent> = {}): Promise<Intent[]> {
  const { deps } = api;
  const store = deps.stores.live.of(merchant.team.id);
  const one = async (): Promise<Intent> => {
    const body = { amount: 100, currency: 'XAF', phone: '1' };
    const { transaction } = (await api.call('POST', '/payments', { key: merchant.live.secret, body })).body;
    const ref = { team_id: merchant.team.id, id: transaction.id };
    const instrument = readInstrument('live', { channel: 'cm.mtn', data: { phone: String(++phones) } });
    const payment = await getPaymentRow(store, ref.team_id, ref.id);
    const charge = fitCharge(deps.config, payment, instrument, { client_ip: null, by: WORKER, prompted_by: 'private' });
    const { candidates } = await deps.router.choose({
      ...{ environment: 'live', team_id: ref.team_id, operation: 'collect', channel: charge.channel },
      ...{ currency: charge.currency, amount_minor: charge.tranche_minor },
    });
    const chosen = must(candidates[0], 'a provider collects');
    const slot = { team_id: ref.team_id, route: 'test', key: ref.id, request_hash: Buffer.from('h'), created_at: new Date() };
    const hooks = { key: { slot, own: [], released: false } };
    return { deps, environment: 'live', ref, charge, provider: chosen, decision: {}, level: 1, hooks, ...changes };
  };
  return Promise.all(Array.from({ length: count }, one));
}

const started = (intents: Intent[]) =>
  intents.map((intent) => start(api.deps.stores.live.of(intent.ref.team_id), intent).then(({ attempt }) => attempt.payment_id));
const idsOf = (intents: Intent[]) => intents.map(({ ref }) => ref.id);

/** The payments of which a key names the attempt. */
async function keyed(intents: Intent[]): Promise<string[]> {
  const rows = await api.deps.stores.live.db.all<{ id: string }>(sql`
    select a.payment_id as id from idempotency_keys k join attempts a on a.id = k.resource_id and a.payment_id = k.key
    where k.key = any(${idsOf(intents)}) order by 1`);
  return rows.map(({ id }) => id);
}
const verified = () => api.newMerchant({ verification_level: 1 });
const lockUses = (tx: Tx, { team }: Merchant, more: 'wait' | 'nowait') =>
  more === 'wait'
    ? tx.run(sql`select 1 from ceiling_uses where team_id = ${team.id} for update`)
    : tx.run(sql`select 1 from ceiling_uses where team_id = ${team.id} for update nowait`);

/** Whoever waits for a locked row holds a lock on its place meanwhile. */
async function untilWaiting(): Promise<void> {
  await until(
    () =>
      api.deps.stores.live.db.all(sql`
        select 1 from pg_locks where locktype = 'tuple' and relation = 'ceiling_uses'::regclass
          and database = (select oid from pg_database where datname = current_database())`),
    (rows) => rows.length > 0,
  );
}

test('a refused charge leaves the others in one transaction', async () => {
  const [many, refused] = [await verified(), await verified()];
  const intents = await intentsOf(many, 10);
  const problem = new Problem(409, 'The payment link has no use left.');
  const guardCharge = () => Promise.reject(problem);
  const bad = await intentsOf(refused, 2, { deps: { ...api.deps, guardCharge } });
  const results = await Promise.allSettled(started([...intents.slice(0, 5), ...bad, ...intents.slice(5)]));
  assert.deepEqual(
    results.map((result) => (result.status === 'rejected' ? result.reason : result.value)),
    [...idsOf(intents.slice(0, 5)), problem, problem, ...idsOf(intents.slice(5))],
  );
  const [written] = await api.deps.stores.live.db.all<{ entries: number; transactions: number }>(sql`
    select count(*)::integer as entries, count(distinct tx)::integer as transactions from audit_entries
    where resource_id = any(${idsOf([...intents, ...bad])}) and action = 'payment.charge'`);
  assert.deepEqual(written, { entries: 10, transactions: 1 });
  assert.deepEqual(await keyed([...intents, ...bad]), idsOf(intents).toSorted(), 'only a charge that started holds its key');
});

test('limits are locked in the order of the numbers of the teams, as reports of providers lock them', async () => {
  const made = [await verified(), await verified()];
  const [low, high] = made.toSorted((a, b) => Number(a.team.id - b.team.id)) as [Merchant, Merchant];
  await Promise.all(started([...(await intentsOf(low, 1)), ...(await intentsOf(high, 1))]));
  const intents = [...(await intentsOf(high, 1)), ...(await intentsOf(low, 1))];
  let waiting: Promise<string[]> | undefined;
  await api.deps.stores.live.db.transaction(async (tx) => {
    await lockUses(tx, low, 'wait');
    waiting = Promise.all(started(intents));
    await untilWaiting();
    await lockUses(tx, high, 'nowait');
  });
  assert.deepEqual(await waiting, idsOf(intents));
});

test('a row that one charge waits for delays the charges of no other team', async () => {
  const [slow, other] = [await verified(), await verified()];
  await Promise.all(started(await intentsOf(slow, 1)));
  const [blocked, others] = [await intentsOf(slow, 1), await intentsOf(other, 4)];
  let waiting: Promise<string>[] = [];
  await api.deps.stores.live.db.transaction(async (tx) => {
    await lockUses(tx, slow, 'wait');
    const all = started([...blocked, ...others]);
    waiting = all.slice(0, 1);
    let isOver = false;
    void Promise.allSettled(waiting).then(() => {
      isOver = true;
    });
    assert.deepEqual(await Promise.all(all.slice(1)), idsOf(others));
    assert.equal(isOver, false, 'the others did not wait until the database ended what they share with it');
  });
  assert.deepEqual(await Promise.all(waiting), idsOf(blocked));
});
