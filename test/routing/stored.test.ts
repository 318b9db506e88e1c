import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { explanationOf, storedExplanation } from '../../src/providers/routing/explain.ts';
import type { Considered, Explanation } from '../../src/providers/routing/schema.ts';

/* Why a provider was chosen, as it is stored with an attempt. */

const account: Considered = {
  ...{ name: 'MTN Douala', account_id: 'pa_01m7z5k2m06esx3hvenz0qcq0j', provider: 'mtn-momo', verdict: 'chosen', place: 1 },
  ...{ why: 'number 1 in the rule', health: { standing: 'operational', calls: 40, failures: 1, p95_ms: 812 } },
};
const explanation: Explanation = {
  ...{ at: '2026-11-21T13:44:03.456Z', operation: 'collect', channel: 'cm.mtn', currency: 'XAF', amount: 25_000 },
  ...{ rule: { id: 'rul_01m7z5k2m06esx3hvenz0qcq0j', priority: 10, summary: 'everything: MTN Douala, then hub' }, by: 'order' },
  ...{
    draw: null,
    accounts: [account, { ...account, name: 'hub', provider: 'pawapay', verdict: 'fallback', place: 2, health: null }],
  },
};

test('any explanation is read as it was stored', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.array(fc.record({ name: text, why: text })), fc.double({ noNaN: true, min: 0 }), (texts, draw) => {
      const accounts = texts.map((one) => ({ ...account, ...one }));
      const value = JSON.parse(JSON.stringify({ ...explanation, draw, accounts }));
      assert.deepEqual(explanationOf(JSON.parse(storedExplanation(value))), value);
    }),
  );
});

test('it takes less than a third of its JSON, texts of the merchant included', () => {
  const [stored, json] = [storedExplanation(explanation).length, JSON.stringify(explanation).length];
  assert.ok(stored < json / 3, `${stored} of ${json} bytes`);
});

test('what earlier versions stored is read as before', () => {
  assert.deepEqual(explanationOf(explanation), explanation);
  assert.equal(explanationOf({ by: 'cost' }), null);
  assert.equal(explanationOf(null), null);
});
