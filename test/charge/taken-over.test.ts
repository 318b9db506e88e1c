import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Batches } from '../../src/platform/db/batches.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';
import { type Answer, type Api, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/*
 * Two requests with one Idempotency-Key. The second takes over the key while no provider has the charge of the first, whose process is slow.
 */

const TURNED_AWAY: Submission = { kind: 'unavailable', message: 'closed' };

const [first, second] = [new Scripted('first'), new Scripted('second')];
let api: Api;
/** Awaited before the attempt with the second provider is stored. */
let onSecond: () => Promise<void>;
before(async () => {
  api = await startApi({ workers: false, providers: new Registry({ sandbox: [first, second], live: [] }) });
  const { batches } = api.deps;
  const add: Batches['add'] = batches.add.bind(batches);
  batches.add = async (work, store, item) => {
    if ((item as { provider?: { name: string } }).provider?.name === second.name) await onSecond();
    return add(work, store, item);
  };
});
after(() => api.stop());
beforeEach(() => {
  first.reset();
  second.reset();
});

const charge = (id: string, key: string): Promise<Answer> => {
  const body = { channel: 'cm.mtn', data: { phone: '650000000' } };
  return api.call('POST', `/payments/${id}`, { body, headers: { 'idempotency-key': key } });
};

/** Charges a new payment twice with one key: again after the first provider has turned it away, and before the second is tried. */
async function chargedTwice(key: string, answer: Submission): Promise<{ id: string; slow: Answer; fast: Answer | undefined }> {
  const { id } = (await api.call('POST', '/payments', { body: { amount: 1000, currency: 'XAF', phone: '1' } })).body.transaction;
  let fast: Answer | undefined;
  first.submission = TURNED_AWAY;
  onSecond = async () => {
    onSecond = async () => {};
    first.submission = answer;
    fast = await charge(id, key);
  };
  return { id, slow: await charge(id, key), fast };
}

test('202 for a slow request whose key a second one has taken over: the response of the second, and one charge', async () => {
  const { id, slow, fast } = await chargedTwice('accepted', ACCEPTED);
  assert.deepEqual([fast?.status, slow.status, slow.body], [202, 202, fast?.body]);
  assert.equal(slow.headers.get('idempotent-replayed'), 'true');
  const { attempts } = (await api.call('GET', `/payments/${id}`)).body.transaction;
  assert.deepEqual(attempts.map(({ status }: { status: string }) => status).sort(), ['open', 'unavailable']);
});
