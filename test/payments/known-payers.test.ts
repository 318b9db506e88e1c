import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payerOf } from '../../src/core/customers/payer.ts';
import { KnownPayers } from '../../src/core/payments/known-payers.ts';

/** Returns a payment of the payer with this e-mail address; null: a payment that names nobody. */
function by(email: string | null, team_id = 1n) {
  const payer = payerOf('sandbox', 0, { team_id, name: null, email, phone: null });
  return { id: `${team_id} ${email}`, team_id: String(team_id), payer };
}

function learn(known: KnownPayers, payments: ReturnType<typeof by>[]): void {
  known.learn(payments, new Map(payments.map(({ id }) => [id, { customer_id: null }])));
}

test('payers are known once they were found, each in their own team, and payments without a payer always are', () => {
  const known = new KnownPayers();
  assert.equal(known.covers([by(null)]), true);
  assert.equal(known.covers([by('awa@shop.example')]), false);
  learn(known, [by('awa@shop.example')]);
  assert.equal(known.covers([by('awa@shop.example'), by(null)]), true);
  assert.equal(known.covers([by('awa@shop.example'), by('ben@shop.example')]), false);
  assert.equal(known.covers([by('awa@shop.example', 2n)]), false);
});

test('a payment that was not inserted teaches nothing, and a payer who is blocked is not known any more', () => {
  const known = new KnownPayers();
  known.learn([by('awa@shop.example')], new Map());
  assert.equal(known.covers([by('awa@shop.example')]), false);
  learn(known, [by('awa@shop.example'), by('ben@shop.example')]);
  known.learn([by('awa@shop.example')], new Map([[by('awa@shop.example').id, 'blocked' as const]]));
  assert.deepEqual([known.covers([by('awa@shop.example')]), known.covers([by('ben@shop.example')])], [false, true]);
});

test('many payers stay known, and more than there are places for replace earlier ones', () => {
  const known = new KnownPayers();
  const payments = (from: number, count: number) => Array.from({ length: count }, (_, i) => by(`${from + i}@shop.example`));
  const first = payments(0, 2_000);
  learn(known, first);
  const count = () => first.filter((payment) => known.covers([payment])).length;
  assert.ok(count() > 1_900, `${count()} of 2,000 are known`);
  for (let from = 2_000; from < 152_000; from += 10_000) learn(known, payments(from, 10_000));
  assert.ok(count() < 1_000, `${count()} of 2,000 are known still`);
});
