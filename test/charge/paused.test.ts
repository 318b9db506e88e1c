import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { charge } from '../../src/core/charge/charge.ts';
import { readInstrument, fitCharge } from '../../src/core/charge/instrument.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import { type Db, type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { PaymentDeps } from '../../src/core/payments/deps.ts';
import type { Collection } from '../../src/providers/adapters/contract.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Registry, type TestProvider, withProviders } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(() => api.stop());

/** A store whose process is paused for so long after it has marked an attempt as submitted. */
function pausedStore({ environment, db }: Store, ms: number): Store {
  const transaction: Db['transaction'] = async (work, manner) => {
    let has_marked = false;
    const watched = (tx: Tx): Tx => ({
      inTransaction: true,
      all: <Row>(statement: Sql) => {
        has_marked ||= /set submitted_at/.test(statement.text);
        return tx.all<Row>(statement);
      },
      maybe: (statement) => tx.maybe(statement),
      run: (statement) => tx.run(statement),
    });
    const result = await db.transaction((tx) => work(watched(tx)), manner);
    if (has_marked) clock.advance(ms);
    return result;
  };
  return { environment, db: { all: db.all, maybe: db.maybe, run: db.run, transaction } };
}

/** A store whose process is paused for so long after the commit of an intent that is also the mark. */
function pausedAfterCommit({ environment, db }: Store, ms: number): Store {
  const transaction: Db['transaction'] = async (work, plans) => {
    const result = await db.transaction(work, plans);
    clock.advance(ms);
    return result;
  };
  return { environment, db: { all: db.all, maybe: db.maybe, run: db.run, transaction } };
}

async function chargeWithPause(ms: number, paused = pausedStore, deps: PaymentDeps = api.deps): Promise<string> {
  const { team, keys } = api;
  const created = await api.call('POST', '/payments', {
    key: keys.sandbox.secret,
    body: { amount: 1_000, currency: 'XAF', phone: '1' },
  });
  const id: string = created.body.transaction.id;
  const store = deps.stores.sandbox.of(team.id);
  const payment = await getPaymentRow(store, team.id, id);
  const instrument = readInstrument('sandbox', { channel: 'cm.mtn', data: { phone: '650000000' } });
  const wanted = fitCharge(deps.config, payment, instrument, { client_ip: null, by: WORKER, prompted_by: null });
  await charge(deps, paused(store, ms), { team_id: team.id, id }, wanted).catch(() => {});
  return id;
}

test('a process paused for minutes before it sends no longer sends: "not found" may have closed the attempt', async () => {
  const id = await chargeWithPause(400_000);
  assert.deepEqual(provider.submitted, []);
  const { body } = await api.call('GET', `/payments/${id}`);
  assert.equal(body.transaction.status, 'pending');
  assert.deepEqual(
    body.transaction.attempts.map(({ status }: { status: string }) => status),
    ['unavailable'],
  );
});

test('a pause of seconds changes nothing', async () => {
  await chargeWithPause(5_000);
  assert.equal(provider.submitted.length, 1);
});

test('nor after such a pause between the commit and a provider that returns no handle', async () => {
  const sent: Collection[] = [];
  const plain: TestProvider = {
    name: 'plain',
    collects: () => true,
    submit: async (collection) => {
      sent.push(collection);
      return ACCEPTED;
    },
    read: async () => ({ kind: 'not_found' }),
  };
  const deps = { ...api.deps, ...withProviders(new Registry({ sandbox: [plain], live: [] })) };
  const id = await chargeWithPause(400_000, pausedAfterCommit, deps);
  assert.equal(sent.length, 0);
  const { body } = await api.call('GET', `/payments/${id}`);
  assert.equal(body.transaction.attempts[0].status, 'unavailable');
  await chargeWithPause(5_000, pausedAfterCommit, deps);
  const stored = await deps.stores.sandbox.db.maybe<{ marked: boolean }>(
    sql`select submitted_at = created_at as marked from attempts where id = ${sent[0]?.attempt_id}`,
  );
  assert.deepEqual([sent.length, stored], [1, { marked: true }]);
});
