import { type Html, html } from '../../../kit/html.ts';
import type { CheckoutTexts, TestOutcome } from '../../pages/texts/checkout.ts';

/** Test numbers of the sandbox (docs/sandbox.md). A test verifies them against the sandbox. */
export const TEST_PHONES: readonly (readonly [string, TestOutcome])[] = [
  ['000000', 'succeeds'],
  ['000001', 'funds'],
  ['000002', 'declined'],
  ['000003', 'late'],
  ['000004', 'refused'],
];

export const TEST_CARDS: readonly (readonly [string, TestOutcome])[] = [
  ['4242 4242 4242 4242', 'succeeds'],
  ['4000 0025 0000 3155', 'secure'],
  ['4000 0000 0000 0002', 'declined'],
  ['4000 0000 0000 9995', 'funds'],
];

/** Table of test numbers and their outcomes, for developers who try an integration. */
export function testNumbers(texts: CheckoutTexts): Html {
  return html`<details class="order numbers"><summary>${texts.testNumbers}</summary>
<h2>${texts.testPhones}</h2>${table(texts, [...TEST_PHONES.map(([digits, outcome]) => [`…${digits}`, outcome] as const), [texts.anyOther, 'succeeds']])}
<h2>${texts.testCards}</h2>${table(texts, TEST_CARDS)}</details>`;
}

function table(texts: CheckoutTexts, rows: readonly (readonly [string, TestOutcome])[]): Html {
  return html`<dl>${rows.map(([number, outcome]) => html`<div><dt>${number}</dt><dd>${texts.testOutcomes[outcome]}</dd></div>`)}</dl>`;
}
