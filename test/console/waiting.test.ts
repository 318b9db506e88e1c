import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';
import { startPayment } from '../setup/pay.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { type Person, signedIn } from './people.ts';
import { sql } from '../../src/kit/sql.ts';

const HOUR_MS = 3_600_000;

/** By the last digit: 3 loses the answer, others stay under way. */
const provider: TestProvider = {
  name: 'waiting',
  collects: () => true,
  submit: async ({ payer }) =>
    payer?.endsWith('3')
      ? { kind: 'unknown', message: 'no answer' }
      : { kind: 'accepted', provider_ref: 'ref-7', next: { kind: 'confirm' }, poll_after_ms: HOUR_MS },
  read: async () => ({ kind: 'pending', poll_after_ms: HOUR_MS }),
};

let api: Api;
let reader: Person;
before(async () => {
  api = await startApi({ providers: new Registry({ sandbox: [provider], live: [provider] }), workers: false });
  reader = await signedIn(api, 'read_only');
});
after(() => api.stop());

async function shown(phone: string, headers: Record<string, string> = {}): Promise<string> {
  const { id } = await startPayment(api, { phone });
  return (await reader.get(`/console/${api.team.id}/sandbox/payments/${id}`, headers)).text;
}

test('a payment that the provider has says since when, and when its status is queried next', async () => {
  const text = await shown('650000000');
  const [, day] =
    /waiting has had the request since (\d{1,2} \w+ \d{4}), \d\d:\d\d and has not reported a result/.exec(text) ?? [];
  assert.ok(day, text.slice(text.indexOf('<main')));
  assert.match(text, /Its status is queried at \d{1,2} \w+ \d{4}, \d\d:\d\d\./, 'an hour is not "in a few moments"');
  assert.match(text, /Under way[\s\S]*ref-7/);
});

test('a payment whose answer was lost says that nothing is charged twice, in the language of the reader', async () => {
  assert.match(
    await shown('650000003'),
    /its answer was lost\. Its status is queried in a few moments[^<]*nothing is charged twice/,
  );
  const french = await shown('650000003', { 'accept-language': 'fr-CM' });
  assert.match(french, /sa réponse a été perdue[^<]*entre-temps\u00a0: rien n’est débité deux fois/);
  assert.match(french, /Résultat inconnu/);
});

test('a payment whose provider may have an attempt that had ended says that, and not that nothing was created', async () => {
  const { id } = await startPayment(api, { phone: '650000000' });
  await api.deps.stores.sandbox.db.run(sql`
    update attempts set status = 'unavailable', closed_at = created_at, action = null where team_id = ${api.team.id} and payment_id = ${id}`);
  await api.deps.stores.sandbox.db.run(sql`update payments set status = 'pending' where team_id = ${api.team.id} and id = ${id}`);
  const page = `/console/${api.team.id}/sandbox/payments/${id}`;
  const { text } = await reader.get(page);
  assert.match(text, /waiting may have a request that had ended\. Its status is queried at [^<]*nothing is charged twice/);
  assert.match(text, /It had ended, but the provider may have it after all\./);
  assert.doesNotMatch(text, /created nothing|has had the request/);
  const french = await reader.get(page, { 'accept-language': 'fr-CM' });
  assert.match(french.text, /waiting détient peut-être une demande qui avait pris fin[^<]*entre-temps\u00a0: rien/);
});
