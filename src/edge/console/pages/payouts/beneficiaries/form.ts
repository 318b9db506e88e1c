import { type Html, html } from '../../../../../kit/html.ts';
import { channelById } from '../../../../../providers/reference/channels.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { channelName, payoutChannels } from '../../../parts/channels.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { alert, facts, field, pageHead, select } from '../../../parts/parts.ts';
import { seenField } from '../../../parts/seen.ts';
import { saveOnce } from '../../../save-once.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import { type Beneficiary, beneficiaryOf } from './list.ts';

/** Fields that a person types; channel and currency of a saved beneficiary cannot change. */
const FIELDS = ['name', 'number', 'bank_code', 'email', 'reference', 'description'] as const;

type Typed = Record<string, string>;

/** Shows the form of a new beneficiary. */
export function showNew(visit: TeamVisit, typed: Typed = {}, fault?: Fault): Answer {
  const { language, base } = visit;
  const texts = PAYOUT_TEXTS[language];
  const path = `${base}/payouts/beneficiaries`;
  const channel = { name: 'channel', label: texts.recipient.channel, value: typed.channel, error: fault?.errors.channel?.[0] };
  const currency = { name: 'currency', label: texts.currency, value: typed.currency, error: fault?.errors.currency?.[0] };
  return page(
    visit,
    texts.saved.create,
    { path, back: path, from: `${path}/new`, fault },
    html`
${select(channel, [['', '—'], ...payoutChannels(language)])}${fields(visit, typed, fault)}
${field({ ...currency, help: texts.saved.currencyHelp, autocomplete: 'off', maxlength: 3 })}`,
  );
}

/** Creates a beneficiary. The form's token is the idempotency key. */
export async function createBeneficiary(visit: TeamVisit): Promise<Answer> {
  const typed = { ...typedOf(visit), channel: fieldOf(visit, 'channel'), currency: fieldOf(visit, 'currency').toUpperCase() };
  const { channel, currency } = typed;
  const body = { ...bodyOf(typed, channel), channel, ...(currency ? { currency } : {}) };
  try {
    const reply = await visit.api('POST /beneficiaries', { body, idempotency_key: visit.formKey });
    const { id } = reply.body.beneficiary as Beneficiary;
    return redirect(`${visit.base}/payouts/beneficiaries/${id}?done=create`);
  } catch (error) {
    return showNew(visit, typed, faultOf(visit, error));
  }
}

/** Shows the form that changes a beneficiary. */
export async function showEdit(visit: TeamVisit, typed?: Typed, fault?: Fault): Promise<Answer> {
  const { language, base } = visit;
  const texts = PAYOUT_TEXTS[language];
  const beneficiary = await beneficiaryOf(visit);
  const { channel, currency } = beneficiary;
  const stored = typedFrom(beneficiary);
  const path = `${base}/payouts/beneficiaries/${beneficiary.id}`;
  const fixed = facts([
    [texts.recipient.channel, html`${channelName(channel, language)} <code>${channel}</code>`],
    [texts.currency, currency],
  ]);
  return page(
    visit,
    texts.saved.edit,
    { path: `${path}/edit`, back: path, from: `${path}/edit`, fault },
    html`${seenField(visit, stored, fault)}${fixed}
${fields(visit, typed ?? stored, fault)}`,
  );
}

/** Changes a beneficiary. Existing payouts keep their recipient. */
export async function changeBeneficiary(visit: TeamVisit): Promise<Answer> {
  const typed = typedOf(visit);
  const { id, channel } = await beneficiaryOf(visit);
  try {
    const storedOf = (beneficiary: object) => typedFrom(beneficiary as Beneficiary);
    await saveOnce(visit, 'PATCH /beneficiaries/:id', { id, typed, body: bodyOf(typed, channel), storedOf });
  } catch (error) {
    return showEdit(visit, typed, faultOf(visit, error));
  }
  return redirect(`${visit.base}/payouts/beneficiaries/${id}?done=change`);
}

function typedFrom(beneficiary: Beneficiary): Typed {
  const stored = { ...beneficiary, number: beneficiary.account_number ?? beneficiary.phone } as unknown as Record<
    string,
    string | null
  >;
  return Object.fromEntries(FIELDS.map((name) => [name, stored[name] ?? '']));
}

function typedOf(visit: TeamVisit): Typed {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(visit, name)]));
}

/** Returns the input in API format, without empty fields. */
function bodyOf({ name, number, bank_code, email, reference, description }: Typed, channel: string): Record<string, unknown> {
  const destination = channelById(channel)?.kind === 'bank' ? { account_number: number || null } : { phone: number || null };
  const others = { bank_code, email, reference, description };
  return { name, ...destination, ...Object.fromEntries(Object.entries(others).map(([key, value]) => [key, value || null])) };
}

function fields({ language }: TeamVisit, typed: Typed, fault?: Fault): Html {
  const texts = PAYOUT_TEXTS[language];
  const error = (...names: string[]) => names.flatMap((name) => fault?.errors[name] ?? [])[0];
  const common = (name: (typeof FIELDS)[number]) => ({ name, value: typed[name], error: error(name), autocomplete: 'off' });
  const number = { ...common('number'), error: error('account_number', 'phone') };
  return html`${field({ ...common('name'), label: texts.recipient.name, required: true, maxlength: 255 })}
${field({ ...number, label: texts.number, help: texts.numberHelp, required: true, maxlength: 64 })}
${field({ ...common('bank_code'), label: texts.recipient.bank, help: texts.bankHelp, maxlength: 32 })}
${field({ ...common('email'), label: texts.recipient.email, type: 'email', maxlength: 255 })}
${field({ ...common('reference'), label: texts.reference, maxlength: 128 })}
${field({ ...common('description'), label: texts.description, maxlength: 500 })}`;
}

interface Framing {
  path: string;
  back: string;
  from: string;
  fault: Fault | undefined;
}

function page(visit: TeamVisit, title: string, { path, back, from, fault }: Framing, inner: Html): Answer {
  const texts = PAYOUT_TEXTS[visit.language];
  const message = fault && Object.keys(fault.errors).length === 0 && fault.message;
  return {
    kind: 'page',
    title,
    nav: '/payouts',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${back}">← ${texts.tabs.beneficiaries}</a></p>${pageHead(title)}<section class="card narrow">${alert(message)}
<form method="post" action="${path}?from=${encodeURIComponent(from)}">${visit.formFields()}${inner}
<div class="form-actions"><button>${texts.saved.save}</button><a class="button quiet-button" href="${back}">${texts.saved.keep}</a></div></form></section>`,
  };
}
