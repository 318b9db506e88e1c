import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { charge } from '../../src/core/charge/charge.ts';
import { readInstrument, fitCharge } from '../../src/core/charge/instrument.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import type { Sql } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { Scripted } from '../setup/scripted.ts';

const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [] }) });
});
after(() => api.stop());

/** A store whose process is paused for so long after it has marked an attempt as submitted. */
function pausedStore(store: Store, ms: number): Store {
  const { db } = store;
  return {
    environment: store.environment,
    db: {
      all: async <Row>(statement: Sql) => {
        const rows = await db.all<Row>(statement);
        if (/set submitted_at/.test(statement.text)) clock.advance(ms);
        return rows;
      },
      maybe: (statement) => db.maybe(statement),
      transaction: (work) => db.transaction(work),
      run: (statement) => db.run(statement),
    },
  };
}

async function chargeWithPause(ms: number): Promise<string> {
  const { team, deps, keys } = api;
  const created = await api.call('POST', '/payments', {
    key: keys.sandbox.secret,
    body: { amount: 1_000, currency: 'XAF', phone: '1' },
  });
  const id: string = created.body.transaction.id;
  const store = deps.stores.sandbox.of(team.id);
  const payment = await getPaymentRow(store, team.id, id);
  const instrument = readInstrument('sandbox', { channel: 'cm.mtn', data: { phone: '650000000' } });
  const wanted = fitCharge(deps.config, payment, instrument, { client_ip: null, by: WORKER, prompted_by: null });
  await charge(deps, pausedStore(store, ms), { team_id: team.id, id }, wanted).catch(() => {});
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
