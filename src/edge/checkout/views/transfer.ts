import { type Html, html } from '../../../kit/html.ts';
import type { Next } from '../../../providers/adapters/contract.ts';
import { copyButton } from '../../pages/parts.ts';
import type { CheckoutTexts } from '../../pages/texts/checkout.ts';

type Transfer = Extract<Next, { kind: 'transfer' }>;

/** Bank transfer instructions. The page's script shows a copy button beside the values that the payer has to type. */
export function transfer(texts: CheckoutTexts, { instructions }: Transfer, amount: string): Html {
  const { bank, account_number, reference } = instructions;
  const rows: [string, string, boolean][] = [
    [texts.bank, bank, false],
    [texts.account, account_number, true],
    [texts.reference, reference, true],
    [texts.amount, amount, false],
  ];
  return html`<dl class="facts bank">${rows.map(([name, value, copied]) => row(texts, name, value, copied))}</dl>`;
}

function row(texts: CheckoutTexts, name: string, value: string, copied: boolean): Html {
  return html`<div><dt>${name}</dt><dd><span>${value}</span>${copied && copyButton(texts, name, value)}</dd></div>`;
}
