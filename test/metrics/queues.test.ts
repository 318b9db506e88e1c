import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dueWork, MAX_COUNTED } from '../../src/edge/metrics/queues-store.ts';
import type { Tx } from '../../src/kit/sql.ts';
import { type Api, startApi } from '../setup/api.ts';
import { inTableOrder, takenBack } from '../setup/taken-back.ts';

let api: Api;
before(async () => {
  api = await startApi({ workers: false, partitions: false });
});
after(() => api.stop());

/** Columns of a due row `n` without its time, by queue. */
const QUEUES: Record<string, [table: string, time: string, columns: string, values: string]> = {
  attempts: [
    'attempts',
    'next_poll_at',
    'id, payment_id, provider, channel, status, amount_minor, currency, provider_key, created_at',
    `'att_test_' || n, 'trx_test_' || n, 'simulated', 'cm.mtn', 'open', 1, 'XAF', n, now()`,
  ],
  deliveries: ['deliveries', 'due_at', 'endpoint_id, event_id', `'wh_test_a', 'evt_test_' || n`],
  mails: ['mails', 'due_at', 'kind, facts', `'receipt', '{}'`],
  refunds: [
    'refunds',
    'next_poll_at',
    'id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at',
    `'rfd_test_' || n, 'trx_test_' || n, 'merchant', '[]', 1, 'XAF', 'processing', 'other', now(), now()`,
  ],
  releases: [
    'settlement_items',
    'release_at',
    'payment_id, account_id, currency, share_minor, amount_minor',
    `'trx_test_' || n, '', 'XAF', 1, 1`,
  ],
  returns: [
    'returns',
    'next_step_at',
    'id, payment_id, attempt_id, amount_minor, currency, state, created_at, updated_at',
    `'rtn_test_' || n, 'trx_test_' || n, 'att_test_' || n, 1, 'XAF', 'owed', now(), now()`,
  ],
  transfers: [
    'transfers',
    'next_poll_at',
    'id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id, request_id, created_at, updated_at',
    `'po_test_' || n, 1, 0, 'XAF', 'processing', '{}', 'cm.mtn', n, 'dispatched', 'k', 'r', now(), now()`,
  ],
};

/** One more than are counted. The last, in the order of the table, has been due for an hour. */
async function makeDue(tx: Tx): Promise<void> {
  for (const [table, time, columns, values] of Object.values(QUEUES)) {
    await tx.run({
      text: `insert into ${table} (team_id, ${columns}, ${time})
        select 1, ${values}, now() - case when n > ${MAX_COUNTED} then interval '1 hour' else interval '1 minute' end
        from generate_series(1, ${MAX_COUNTED + 1}) n`,
      values: [],
    });
  }
}

test('the oldest row of a queue is seen, also when more are due than are counted', async () => {
  const { db } = api.deps.stores.sandbox;
  const found = await takenBack(db, async (tx) => {
    await makeDue(tx);
    await inTableOrder(tx);
    return dueWork(tx);
  });
  const seen = found.map(({ queue, depth, late_seconds }) => ({ queue, depth, is_oldest: late_seconds >= 3_600 }));
  assert.deepEqual(
    seen.sort((a, b) => a.queue.localeCompare(b.queue)),
    Object.keys(QUEUES).map((queue) => ({ queue, depth: MAX_COUNTED, is_oldest: true })),
  );
});

test('the oldest delivery is seen beside an endpoint with more due ones than are counted', async () => {
  const { db } = api.deps.stores.sandbox;
  const found = await takenBack(db, async (tx) => {
    await makeDue(tx);
    await tx.run({
      text: `insert into deliveries (team_id, endpoint_id, event_id, due_at) values (1, 'wh_test_b', 'evt_test', now() - interval '2 hours')`,
      values: [],
    });
    return dueWork(tx);
  });
  const { depth = 0, late_seconds = 0 } = found.find(({ queue }) => queue === 'deliveries') ?? {};
  assert.equal(depth, MAX_COUNTED);
  assert.ok(late_seconds >= 7_200, `${late_seconds}`);
});
