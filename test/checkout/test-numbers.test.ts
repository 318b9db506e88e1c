import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestOutcome } from '../../src/edge/pages/texts/checkout.ts';
import { TEST_CARDS, TEST_PHONES } from '../../src/edge/checkout/views/test-numbers.ts';
import { must } from '../../src/kit/errors.ts';
import { type Outcome, outcomeOfCard, outcomeOfNumber, testCardToken } from '../../src/providers/adapters/sandbox/codes.ts';

/** What the page says of an outcome of the sandbox. */
function saidOf(outcome: Outcome | undefined): TestOutcome | undefined {
  switch (outcome?.kind) {
    case 'succeeds':
      return 'succeeds';
    case 'authenticates':
      return 'secure';
    case 'times_out':
      return 'late';
    case 'payer_cancels':
      return 'refused';
    case 'refused':
      return outcome.reason === 'insufficient_funds' ? 'funds' : 'declined';
    default:
      return undefined;
  }
}

for (const [digits, outcome] of TEST_PHONES) {
  test(`a number that ends in ${digits} has the documented outcome: ${outcome}`, () => {
    assert.equal(saidOf(outcomeOfNumber(`+237650${digits}`)), outcome);
  });
}

for (const [number, outcome] of TEST_CARDS) {
  test(`card ${number} has the documented outcome: ${outcome}`, () => {
    assert.equal(saidOf(outcomeOfCard(must(testCardToken(number), 'a designated card'))), outcome);
  });
}

test('any other number succeeds, as documented', () => {
  assert.equal(saidOf(outcomeOfNumber('+237650123456')), 'succeeds');
});
