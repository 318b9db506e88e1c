import { readBalance } from '../../../../../core/balance/service.ts';
import type { Quote } from '../../../../../core/transfers/quote.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { hundredths } from '../../../../../kit/money.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { PaidTo } from '../../../../../tenants/api/route.ts';
import { approvalFault, refuseApproval } from '../../../../../tenants/approvals/faults.ts';
import { type Moved, movesMoney } from '../../../money.ts';
import { type Answer, type ConsolePage, fieldOf, redirect, type TeamVisit, teamPage } from '../../../page.ts';
import { money, signedMoney } from '../../../parts/format.ts';
import { alert, card, facts, pageHead } from '../../../parts/parts.ts';
import { secondNote } from '../../../parts/second-note.ts';
import { recipientLine, recipientRows } from '../recipient.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { type Asked, askedOf, FIELDS, payoutFault, quoteOf } from './asked.ts';
import { showForm } from './form.ts';

/** A new payout: the form, what it would do, and the submission. */
export function newPages(deps: ConsoleDeps): ConsolePage[] {
  const write = { permission: 'transfer.write', fresh: true } as const;
  return [
    teamPage({
      ...write,
      ...{ method: 'GET', path: '/payouts/new' },
      handle: (visit) => {
        const { beneficiary = '', currency = '' } = visit.query;
        return showForm(visit, { beneficiary, currency });
      },
    }),
    teamPage({ ...write, method: 'POST', path: '/payouts/new', handle: (visit) => checkPayout(deps, visit) }),
    teamPage({ ...write, method: 'POST', path: '/payouts/send', handle: (visit) => sendPayout(deps, visit) }),
  ];
}

/** Shows what the payout would do, or the form again: what was asked for is wrong, or is to be changed. */
async function checkPayout(deps: ConsoleDeps, visit: TeamVisit, warning?: string): Promise<Answer> {
  const asked = askedOf(visit);
  if (fieldOf(visit, 'step') === 'edit') return showForm(visit, asked);
  try {
    return await showConfirmation(visit, asked, await quoteOf(deps, visit, asked), warning);
  } catch (error) {
    return showForm(visit, asked, payoutFault(visit, error));
  }
}

/** The fee leaves the balance too. */
function movedBy({ body: { currency }, amount_minor, fee_minor }: Quote): Moved {
  return { amount_minor: amount_minor + fee_minor, currency };
}

/** Pays out, and leads to the payout, or to the decision that it waits for. */
async function sendPayout(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const asked = askedOf(visit);
  try {
    const quote = await quoteOf(deps, visit, asked);
    const verifyPayee = (payee: PaidTo) => {
      if (fieldOf(visit, 'to') !== recipientLine(payee)) refuseApproval('payee');
    };
    const movement = await movesMoney(visit, 'POST /transfers', { body: { ...quote.body }, verifyPayee }, movedBy(quote));
    if (movement.kind === 'asked') return redirect(`${visit.base}/approvals/${movement.approval}`);
    const { id } = movement.reply.body.transfer as { id: string };
    return redirect(`${visit.base}/payouts/${id}?done=create`);
  } catch (error) {
    // A beneficiary that was changed meanwhile is shown again: money goes to whom the person saw.
    if (approvalFault(error) === 'payee') return checkPayout(deps, visit, PAYOUT_TEXTS[visit.language].recipientChanged);
    return showForm(visit, asked, payoutFault(visit, error));
  }
}

async function showConfirmation(visit: TeamVisit, asked: Asked, quote: Quote, warning?: string): Promise<Answer> {
  const { language, base, store, team } = visit;
  const texts = PAYOUT_TEXTS[language];
  const { currency } = quote.body;
  const { available } = await readBalance(store.db, team.id, currency, null);
  const after = hundredths(available) - quote.amount_minor - quote.fee_minor;
  const covered = after >= 0n;
  return {
    kind: 'page',
    title: texts.confirm,
    nav: '/payouts',
    body: html`<p class="back"><a href="${base}/payouts">← ${texts.title}</a></p>${pageHead(texts.confirm)}${alert(warning)}${!covered && alert(texts.uncovered)}${covered && (await secondNote(visit, movedBy(quote)))}
<div class="columns"><div>${card(texts.cards.recipient, facts(recipientRows({ ...quote.payee.recipient, channel: quote.payee.channel.id }, language)))}</div>
<div>${sums(visit, quote, hundredths(available), after)}</div></div>
<form class="card-form" method="post" action="${base}/payouts/send?from=${encodeURIComponent(`${base}/payouts/new`)}">${visit.formFields()}${FIELDS.map(
      (name) => html`<input type="hidden" name="${name}" value="${asked[name] ?? ''}">`,
    )}<input type="hidden" name="to" value="${recipientLine(quote.payee.recipient)}">
${covered && html`<p class="help">${texts.final}</p>`}<div class="form-actions">${covered && html`<button>${texts.send(money(quote.amount_minor, currency, language))}</button>`}
<button class="quiet-button" name="step" value="edit" formaction="${base}/payouts/new?from=${encodeURIComponent(`${base}/payouts/new`)}">${texts.change}</button></div></form>`,
  };
}

function sums({ language }: TeamVisit, { body, amount_minor, fee_minor }: Quote, available: bigint, after: bigint): Html {
  const texts = PAYOUT_TEXTS[language];
  const shown = (amount: bigint) => signedMoney(amount, body.currency, language);
  return card(
    texts.cards.amounts,
    facts([
      [texts.amount, html`<strong>${shown(amount_minor)}</strong>`],
      [texts.fee, shown(fee_minor)],
      [texts.total, shown(amount_minor + fee_minor)],
      [texts.available, shown(available)],
      [texts.after, shown(after)],
      [texts.reference, body.reference],
      [texts.description, body.description],
    ]),
  );
}
