import { ownFaults } from '../../messages/own.ts';
import type { CreateAccountBody } from '../../../../core/accounts/schema.ts';
import type { Split } from '../../../../money/settlement/shares.ts';
import { must } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { findByForm } from '../../../../tenants/approvals/store.ts';
import { heldAccount, isRedirected } from '../../approvals/account.ts';
import { toApproval } from '../../approvals/held.ts';
import { runUnlessAsked } from '../../approvals/once.ts';
import { ranBefore } from '../../approvals/ran.ts';
import { type Answer, fieldOf, type PageAnswer, redirect, type TeamVisit } from '../../page.ts';
import { typedAmount } from '../../parts/amount.ts';
import { channelInCountry, PAYOUT_CHANNELS } from '../../parts/channels.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { alert, card, field, pageHead, select } from '../../parts/parts.ts';
import { refuseStale, seenField } from '../../parts/seen.ts';
import { isSaved, keyOfEdit } from '../../save-once.ts';
import { type Account, accountOf } from './read.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** Operation that changes a subaccount. */
const OPERATION = 'PATCH /accounts/:id';

const FIELDS = ['name', 'email', 'phone', 'split_type', 'split_value', 'channel', 'account_number'] as const;

/** A subaccount as it is typed. */
type Typed = Record<(typeof FIELDS)[number], string>;

/** Names under which the API rejects the fields that are shown. */
const SHOWN = ['name', 'email', 'phone', 'split.type', 'split.value', 'settlement.channel', 'settlement.account_number'];

/** Shows the form of a new subaccount. */
export function showCreate(visit: TeamVisit): Answer {
  return formPage(visit, null, Object.fromEntries(FIELDS.map((name) => [name, ''])) as Typed);
}

/** Creates a subaccount. */
export async function createAccount(visit: TeamVisit): Promise<Answer> {
  const typed = typedIn(visit);
  try {
    const body = bodyOf(visit, typed);
    const held = isRedirected(body, null) && (await heldAccount(visit, body, null, () => createdBefore(visit, body)));
    if (held) return held;
    const led = await runUnlessAsked(visit, 'POST /accounts', { body, idempotency_key: visit.formKey });
    if ('approval' in led) return toApproval(visit, led.approval);
    return toCreated(visit, (led.reply.body as { account: Account }).account.id);
  } catch (error) {
    return formPage(visit, null, typed, faultOf(visit, error));
  }
}

/** Returns where the form leads that has created its subaccount; null when it has not. */
async function createdBefore(visit: TeamVisit, body: CreateAccountBody): Promise<Answer | null> {
  const ran = await ranBefore(visit, { operation: 'POST /accounts', form_key: visit.formKey }, { body: { ...body } });
  return ran && toCreated(visit, must(ran.resource_id, 'the key names the subaccount'));
}

function toCreated({ base }: TeamVisit, id: string): Answer {
  return redirect(`${base}/subaccounts/${id}?done=create`);
}

/** Shows the form of a subaccount. */
export async function showEdit(visit: TeamVisit): Promise<Answer> {
  const account = await accountOf(visit);
  return formPage(visit, account, typedFrom(account));
}

/** Saves a changed subaccount. Fields that the form does not show are unchanged. */
export async function editAccount(visit: TeamVisit): Promise<Answer> {
  const account = await accountOf(visit);
  const typed = typedIn(visit);
  // Its approval and its operation have the same key, which depends on the input: corrected input is another request.
  const asked = { ...visit, formKey: keyOfEdit(visit, account.id, typed) };
  const saved = redirect(`${visit.base}/subaccounts/${account.id}?done=update`);
  try {
    const answered = () => answeredBefore(asked, saved);
    const first = await answered();
    if (first) return first;
    const verifySeen = (before: object) => refuseStale(visit, typedFrom(before as Account), typed);
    // Also where a second person decides: the operation runs later, with what was asked for.
    verifySeen(account);
    const body = bodyOf(visit, typed);
    const redirected = isRedirected(body, account);
    const held = redirected && (await heldAccount(asked, body, account, answered));
    if (held) return held;
    // An unchanged destination is not sent: it would undo a change that a second person approves at the same time.
    const { split: _split, settlement: _settlement, ...others } = body;
    const call = { params: { id: account.id }, body: redirected ? body : others, verifySeen };
    const led = await runUnlessAsked(visit, OPERATION, { ...call, idempotency_key: asked.formKey });
    return 'approval' in led ? toApproval(visit, led.approval) : saved;
  } catch (error) {
    return formPage(visit, await accountOf(visit), typed, faultOf(visit, error));
  }
}

/**
 * Returns where an earlier submit of the form led: to its approval, or to the saved subaccount, also when that was changed since. Null
 * when there is none.
 */
async function answeredBefore(asked: TeamVisit, saved: Answer): Promise<Answer | null> {
  const approval = await findByForm(asked.approvals.control, asked.team.id, asked.formKey);
  if (approval !== undefined) return toApproval(asked, approval);
  return (await isSaved(asked, OPERATION, asked.formKey)) ? saved : null;
}

function typedFrom({ name, email, phone, split, settlement }: Account): Typed {
  return {
    ...{ name, email, phone: phone ?? '', split_type: split?.type ?? '', split_value: String(split?.value ?? '') },
    ...{ channel: settlement?.channel ?? '', account_number: settlement?.account_number ?? '' },
  };
}

function typedIn(visit: TeamVisit): Typed {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(visit, name)])) as Typed;
}

/** Returns the body of the API for the input. @throws Problem 422 for invalid input */
function bodyOf(
  visit: TeamVisit,
  { name, email, phone, split_type, split_value, channel, account_number }: Typed,
): CreateAccountBody {
  const settled = channel !== '' || account_number !== '';
  return {
    ...{ name, email, phone: phone || null, split: splitOf(visit, split_type, split_value) },
    settlement: settled ? { channel, account_number } : null,
  };
}

function splitOf({ language }: TeamVisit, type: string, text: string): Split | null {
  const { faults } = ACCOUNT_TEXTS[language];
  if (type === '' && text === '') return null;
  if (type !== 'percentage' && type !== 'fixed') throw ownFaults({ 'split.type': [faults.type] });
  const value = typedAmount(text);
  if (value === null) throw ownFaults({ 'split.value': [faults.value] });
  return { type, value };
}

/** Renders the form. @param account the subaccount that is changed; null for a new one */
function formPage(visit: TeamVisit, account: Account | null, typed: Typed, fault?: Fault): PageAnswer {
  const { base, language } = visit;
  const texts = ACCOUNT_TEXTS[language];
  const all = `${base}/subaccounts`;
  const back = account ? `${all}/${account.id}` : all;
  const title = account ? `${texts.edit} · ${account.name}` : texts.new;
  const action = account ? `${back}/edit` : all;
  // A person who has to present a factor is redirected back to the form.
  const from = account ? `${back}/edit` : `${all}/new`;
  return {
    kind: 'page',
    title,
    nav: '/subaccounts',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${back}">← ${account ? account.name : texts.title}</a></p>${pageHead(title)}${alert(unplaced(fault, SHOWN))}
<form method="post" action="${action}?from=${encodeURIComponent(from)}">${visit.formFields()}${account && seenField(visit, typedFrom(account), fault)}${fields(visit, typed, fault?.errors ?? {})}
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="${back}">${texts.keep}</a></div></form>`,
  };
}

function fields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = ACCOUNT_TEXTS[language];
  const common = (name: keyof Typed, path: string = name) => ({ name, value: typed[name], error: errors[path]?.[0] });
  const types = [
    ['', texts.splitNone],
    ['percentage', texts.splitPercentage],
    ['fixed', texts.splitFixed],
  ] as const;
  const channels = PAYOUT_CHANNELS.map((id) => [id, channelInCountry(id, language)] as const);
  const number = common('account_number', 'settlement.account_number');
  return html`${card(
    texts.owner,
    html`<div class="row">${field({ ...common('name'), label: texts.name, maxlength: 255, required: true, autocomplete: 'off' })}
${field({ ...common('email'), label: texts.email, type: 'email', maxlength: 255, required: true, autocomplete: 'off' })}
${field({ ...common('phone'), label: texts.phone, type: 'tel', maxlength: 32, autocomplete: 'off' })}</div>`,
  )}${card(
    texts.split,
    html`<div class="row">${select({ ...common('split_type', 'split.type'), label: texts.splitType }, types)}
${field({ ...common('split_value', 'split.value'), label: texts.splitValue, inputmode: 'decimal', maxlength: 24, autocomplete: 'off' })}</div><p class="help">${texts.splitHelp}</p>`,
  )}${card(
    texts.settlement,
    html`<div class="row">${select({ ...common('channel', 'settlement.channel'), label: texts.channel }, [['', texts.channelNone], ...channels])}
${field({ ...number, label: texts.account, help: texts.accountHelp, maxlength: 64, autocomplete: 'off' })}</div>`,
  )}`;
}
