import type { presentBeneficiary } from '../../../../../core/beneficiaries/present.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { CURRENCIES } from '../../../../../kit/money.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { payoutChannels } from '../../../parts/channels.ts';
import type { Fault } from '../../../parts/fault.ts';
import { alert, field, pageHead, select } from '../../../parts/parts.ts';
import { sameForm } from '../../../parts/same-form.ts';
import { PAYOUT_TEXTS } from '../texts.ts';
import type { Asked } from './asked.ts';

type Beneficiary = ReturnType<typeof presentBeneficiary>;

/** Maximum beneficiaries that the form offers, the newest first. The others are paid from their pages. */
const MAX_OFFERED = 100;

/** Shows the form of a payout, empty or with its earlier input. */
export async function showForm(visit: TeamVisit, asked: Asked, fault?: Fault): Promise<Answer> {
  const { language, base } = visit;
  const texts = PAYOUT_TEXTS[language];
  const path = `${base}/payouts/new`;
  const saved = await savedOf(visit, asked.beneficiary ?? '');
  const errors = fault?.errors ?? {};
  const message = fault && (Object.keys(errors).length === 0 || !isShown(errors)) && fault.message;
  return {
    kind: 'page',
    title: texts.create,
    nav: '/payouts',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/payouts">← ${texts.title}</a></p>${pageHead(texts.create)}<section class="card narrow">${alert(message)}
<form method="post" action="${path}?from=${encodeURIComponent(path)}">${sameForm(visit)}
${recipientFields(visit, saved, asked, errors)}
${field({ name: 'amount', label: texts.amount, value: asked.amount, error: errors.amount?.[0], inputmode: 'decimal', autocomplete: 'off', required: true })}
${select(
  { name: 'currency', label: texts.currency, value: asked.currency || visit.team.default_currency, error: errors.currency?.[0] },
  CURRENCIES.map((code) => [code, code] as const),
)}
${field({ name: 'reference', label: texts.reference, value: asked.reference, error: errors.reference?.[0], help: texts.referenceHelp, autocomplete: 'off', maxlength: 128 })}
${field({ name: 'description', label: texts.description, value: asked.description, error: errors.description?.[0], autocomplete: 'off', maxlength: 500 })}
<div class="form-actions"><button name="step" value="check">${texts.check}</button><a class="button quiet-button" href="${base}/payouts">${texts.keep}</a></div></form></section>`,
  };
}

const PLACES = [
  ...['beneficiary', 'channel', 'beneficiary.channel', 'beneficiary.name', 'recipient', 'beneficiary.phone'],
  ...['beneficiary.account_number', 'beneficiary.bank_code', 'amount', 'currency', 'reference', 'description'],
];

/** Returns whether an error is shown beside one of the fields. */
function isShown(errors: Fault['errors']): boolean {
  return Object.keys(errors).some((name) => PLACES.includes(name));
}

/** Returns the offered beneficiaries, including the chosen one. */
async function savedOf(visit: TeamVisit, chosen: string): Promise<Beneficiary[]> {
  if (!visit.can('beneficiary.read')) return [];
  // Read with a cursor, because numbered pages count all beneficiaries.
  const { body } = await visit.api('GET /beneficiaries', { query: { per_page: MAX_OFFERED, cursor: '' } });
  const items = body.items as Beneficiary[];
  if (chosen === '' || items.some(({ id }) => id === chosen)) return items;
  const found = await visit.api('GET /beneficiaries/:id', { params: { id: chosen } });
  return [found.body.beneficiary as Beneficiary, ...items];
}

function recipientFields({ language }: TeamVisit, saved: readonly Beneficiary[], asked: Asked, errors: Fault['errors']): Html {
  const texts = PAYOUT_TEXTS[language];
  const error = (...names: string[]) => names.flatMap((name) => errors[name] ?? [])[0];
  const number = ['recipient', 'beneficiary.account_number', 'beneficiary.phone'];
  return html`${
    saved.length > 0 &&
    select({ name: 'beneficiary', label: texts.beneficiary, value: asked.beneficiary, error: error('beneficiary') }, [
      ['', texts.someoneElse],
      ...saved.map(
        ({ id, name, phone, account_number, channel, currency }) =>
          [id, `${name} · ${phone ?? account_number ?? channel} · ${currency}`] as const,
      ),
    ])
  }<fieldset class="field part"><legend>${texts.someoneElse}</legend>${saved.length > 0 && html`<p class="help">${texts.someoneElseHelp}</p>`}
${field({ name: 'name', label: texts.recipient.name, value: asked.name, error: error('beneficiary.name'), autocomplete: 'off', maxlength: 255 })}
${select({ name: 'channel', label: texts.recipient.channel, value: asked.channel, error: error('channel', 'beneficiary.channel') }, [['', '—'], ...payoutChannels(language)])}
${field({ name: 'number', label: texts.number, value: asked.number, error: error(...number), help: texts.numberHelp, autocomplete: 'off', maxlength: 64 })}
${field({ name: 'bank_code', label: texts.recipient.bank, value: asked.bank_code, error: error('beneficiary.bank_code'), help: texts.bankHelp, autocomplete: 'off', maxlength: 32 })}</fieldset>`;
}
