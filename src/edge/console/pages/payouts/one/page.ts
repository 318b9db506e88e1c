import { say } from '../../../messages/say.ts';
import { saysPaidLate } from '../../../../../core/transfers/late.ts';
import { getTransfer } from '../../../../../core/transfers/service.ts';
import { isFinal } from '../../../../../core/transfers/states.ts';
import { findStandings } from '../../../../../core/transfers/store.ts';
import type { TransferRow } from '../../../../../core/transfers/schema.ts';
import { must } from '../../../../../kit/errors.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { money, moment } from '../../../parts/format.ts';
import { alert, card, doneAlert, facts, idText, when } from '../../../parts/parts.ts';
import { dueWords } from '../../payments/one/waiting.ts';
import { recipientRows } from '../recipient.ts';
import { payoutBadge } from '../status.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { payoutTimeline } from './timeline.ts';

/** Shows one payout with everything that happened to it. */
export async function showPayout(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const { language, base, query, store, team } = visit;
  const texts = PAYOUT_TEXTS[language];
  const transfer = await getTransfer(store, team.id, visit.params.id ?? '');
  const amount = money(transfer.amount_minor, transfer.currency, language);
  return {
    kind: 'page',
    title: `${amount} · ${transfer.reference ?? transfer.id}`,
    nav: '/payouts',
    body: html`<p class="back"><a href="${base}/payouts">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${amount} ${payoutBadge(transfer.status, language)}</h1><p class="note">${idText(transfer.id)}</p></div></div>
${(transfer.status !== 'failed' || query.done === 'before') && doneAlert(texts.done, query.done)}${alert(await whyFailed(visit, transfer))}${alert(whyWaiting(visit, transfer), 'info')}
<div class="columns payment"><div>${await payoutTimeline(deps, visit, transfer)}</div>
<div>${amounts(visit, transfer)}${recipient(visit, transfer)}${details(visit, transfer)}</div></div>`,
  };
}

/**
 * Returns why a payout ended without money, and whether the money is available again. It is not when the recipient has received it
 * nevertheless, by a report of the provider or by a statement. For a cancelled payout, only that is said.
 */
async function whyFailed({ language, store, team }: TeamVisit, transfer: TransferRow): Promise<Html | false> {
  const { id, status, reason, message } = transfer;
  if (status !== 'failed' && status !== 'cancelled') return false;
  const [standing] = await findStandings(store.db, team.id, [id]);
  const isPaidLate = must(standing, 'it was just read').paid_late_at !== null;
  const texts = PAYOUT_TEXTS[language];
  // Until the decision, and for good when a release before made it, the message does not say so.
  const isShown = isPaidLate && !saysPaidLate(transfer);
  const said = message !== null && say(language, message);
  if (status === 'cancelled') return isShown ? html`${texts.shownPaid}` : isPaidLate && said;
  if (reason === 'insufficient_balance') return html`${texts.reasons[reason]}`;
  const cause = reason ? texts.reasons[reason] : texts.failed;
  const outcome = isShown ? texts.shownPaid : !isPaidLate && texts.returned;
  return html`${cause}${outcome && html` ${outcome}`}${said && html` ${said}`}`;
}

/** Returns why a payout is not final, and when it is polled next. */
function whyWaiting({ language, at }: TeamVisit, { status, stage, next_poll_at, dispatched_at }: TransferRow): string | false {
  if (isFinal(status)) return false;
  const texts = PAYOUT_TEXTS[language].waiting;
  const next = dueWords(next_poll_at, at, language);
  return stage === 'dispatched' && dispatched_at ? texts.sent(moment(dispatched_at, language), next) : texts.reserved(next);
}

function amounts({ language }: TeamVisit, { amount_minor, fee_minor, currency }: TransferRow): Html {
  const texts = PAYOUT_TEXTS[language];
  const shown = (amount: bigint) => money(amount, currency, language);
  return card(
    texts.cards.amounts,
    facts([
      [texts.amount, shown(amount_minor)],
      [texts.fee, shown(fee_minor)],
      [texts.sum, html`<strong>${shown(amount_minor + fee_minor)}</strong>`],
    ]),
  );
}

function recipient({ language, base, can }: TeamVisit, { recipient, channel, beneficiary_id }: TransferRow): Html {
  const texts = PAYOUT_TEXTS[language];
  const link = can('beneficiary.read') ? `${base}/payouts/beneficiaries/${beneficiary_id}` : undefined;
  return card(
    texts.cards.recipient,
    facts([
      ...recipientRows({ ...recipient, channel }, language),
      [texts.beneficiary, beneficiary_id && idText(beneficiary_id, link)],
    ]),
  );
}

function details({ language, base, can }: TeamVisit, transfer: TransferRow): Html {
  const texts = PAYOUT_TEXTS[language];
  const { id, account_id, reference, description, created_at, dispatched_at, completed_at, provider_ref, metadata } = transfer;
  const account = can('account.read') ? `${base}/subaccounts/${account_id}` : undefined;
  const own = Object.entries(metadata ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return html`${card(
    texts.cards.details,
    facts([
      [texts.details.id, idText(id)],
      [texts.details.account, account_id && idText(account_id, account)],
      [texts.reference, reference],
      [texts.description, description],
      [texts.created, when(created_at, language)],
      [texts.details.sent, dispatched_at && when(dispatched_at, language)],
      [texts.details.completed, completed_at && when(completed_at, language)],
      [texts.details.providerRef, provider_ref && idText(provider_ref)],
    ]),
  )}${own.length > 0 && card(texts.cards.metadata, facts(own))}`;
}
