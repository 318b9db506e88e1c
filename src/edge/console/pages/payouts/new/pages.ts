import { readBalance } from '../../../../../core/balance/service.ts';
import type { Quote } from '../../../../../core/transfers/quote.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { hundredths } from '../../../../../kit/money.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { PaidTo } from '../../../../../tenants/api/route.ts';
import { approvalFault, refuseApproval } from '../../../../../tenants/approvals/faults.ts';
import { type Moved, type Movement, movesMoney } from '../../../money.ts';
import { type Answer, type ConsolePage, fieldOf, redirect, type TeamVisit, teamPage } from '../../../page.ts';
import { checkbox } from '../../../parts/choices.ts';
import { money, signedMoney } from '../../../parts/format.ts';
import { alert, card, facts, pageHead } from '../../../parts/parts.ts';
import { sameForm } from '../../../parts/same-form.ts';
import { secondNote } from '../../../parts/second-note.ts';
import { OPERATION } from '../bulk/run.ts';
import { recipientLine, recipientRows } from '../recipient.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { type Asked, askedOf, FIELDS, payoutFault, quoteOf } from './asked.ts';
import { showForm } from './form.ts';
import { isRepeated, payoutBefore, payoutKey } from './once.ts';

/** The pages of a new payout: the form, the confirmation and the submission. */
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

/**
 * Shows the confirmation of the payout, or the form again when its input is invalid or is to be changed. A form that was carried out
 * before redirects to its payout.
 */
async function checkPayout(deps: ConsoleDeps, visit: TeamVisit, warning?: string): Promise<Answer> {
  const asked = askedOf(visit);
  if (fieldOf(visit, 'step') === 'edit') return showForm(visit, asked);
  try {
    const quote = await quoteOf(deps, visit, asked);
    const before = await payoutBefore(visit, quote);
    if (before) return toPayout(visit, before, 'before');
    return await showConfirmation(visit, asked, quote, { repeated: await isRepeated(deps, visit, quote), warning });
  } catch (error) {
    return showForm(visit, asked, payoutFault(visit, error));
  }
}

/** The fee leaves the balance too. */
function movedBy({ body: { currency }, amount_minor, fee_minor }: Quote): Moved {
  return { amount_minor: amount_minor + fee_minor, currency };
}

/** Leads to a payout, or to the decision that it waits for. */
function toPayout({ base }: TeamVisit, led: Movement, done: 'create' | 'before'): Answer {
  if (led.kind === 'asked') return redirect(`${base}/approvals/${led.approval}`);
  return redirect(led.id === null ? `${base}/payouts` : `${base}/payouts/${led.id}?done=${done}`);
}

/** Makes the payout, unless it repeats another one and the person has not confirmed that. */
async function sendPayout(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const asked = askedOf(visit);
  try {
    const quote = await quoteOf(deps, visit, asked);
    const sure = fieldOf(visit, 'sure') !== '' || !(await isRepeated(deps, visit, quote));
    // A form that is submitted again repeats its own payout.
    if (!sure && !(await payoutBefore(visit, quote))) {
      return await showConfirmation(visit, asked, quote, { repeated: true, warning: PAYOUT_TEXTS[visit.language].unsure });
    }
    const verifyPayee = (payee: PaidTo) => {
      if (fieldOf(visit, 'to') !== recipientLine(payee)) refuseApproval('payee');
    };
    const call = { body: { ...quote.body }, idempotency_key: payoutKey(visit, quote), verifyPayee };
    return toPayout(visit, await movesMoney(visit, OPERATION, call, movedBy(quote)), 'create');
  } catch (error) {
    // A beneficiary that was changed meanwhile is shown again, because the money must go to the recipient that the person saw.
    if (approvalFault(error) === 'payee') return checkPayout(deps, visit, PAYOUT_TEXTS[visit.language].recipientChanged);
    return showForm(visit, asked, payoutFault(visit, error));
  }
}

async function showConfirmation(
  visit: TeamVisit,
  asked: Asked,
  quote: Quote,
  { repeated, warning }: { repeated: boolean; warning: string | undefined },
): Promise<Answer> {
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
    body: html`<p class="back"><a href="${base}/payouts">← ${texts.title}</a></p>${pageHead(texts.confirm)}${alert(warning)}${!covered && alert(texts.uncovered)}${covered && (await secondNote(visit, movedBy(quote)))}${repeated && alert(texts.repeats, 'info')}
<div class="columns"><div>${card(texts.cards.recipient, facts(recipientRows({ ...quote.payee.recipient, channel: quote.payee.channel.id }, language)))}</div>
<div>${sums(visit, quote, hundredths(available), after)}</div></div>
<form class="card-form" method="post" action="${base}/payouts/send?from=${encodeURIComponent(`${base}/payouts/new`)}">${sameForm(visit)}${FIELDS.map(
      (name) => html`<input type="hidden" name="${name}" value="${asked[name] ?? ''}">`,
    )}<input type="hidden" name="to" value="${recipientLine(quote.payee.recipient)}">
${covered && repeated && checkbox({ name: 'sure', value: 'yes', label: texts.sure, checked: false })}
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
