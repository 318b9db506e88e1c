import { type Html, html } from '../../../../kit/html.ts';
import { CURRENCIES } from '../../../../kit/money.ts';
import { PAYER_FIELDS } from '../../../links/schema.ts';
import { type Answer, type PageAnswer, redirect, type TeamVisit } from '../../page.ts';
import { checkbox, choices } from '../../parts/choices.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { alert, card, field, pageHead, select, textarea } from '../../parts/parts.ts';
import { seenField } from '../../parts/seen.ts';
import { saveOnce } from '../../save-once.ts';
import { type Link, linkOf } from './read.ts';
import { LINK_TEXTS } from './texts.ts';
import { bodyOf, newLink, type Typed, typedFrom, typedIn } from './typed.ts';

/** Shows the form of a new payment link. */
export function showCreate(visit: TeamVisit): Answer {
  return formPage(visit, null, newLink(visit.team.default_currency));
}

/** Creates a payment link. */
export async function createLink(visit: TeamVisit): Promise<Answer> {
  const typed = typedIn(visit);
  try {
    const made = await visit.api('POST /links', { body: bodyOf(typed, visit.language), idempotency_key: visit.formKey });
    return redirect(`${visit.base}/links/${(made.body as { link: Link }).link.id}?done=create`);
  } catch (error) {
    return formPage(visit, null, typed, faultOf(visit, error));
  }
}

/** Shows the form of a payment link. */
export async function showEdit(visit: TeamVisit): Promise<Answer> {
  const link = await linkOf(visit);
  return formPage(visit, link, typedFrom(link));
}

/** Saves a changed payment link. */
export async function editLink(visit: TeamVisit): Promise<Answer> {
  const link = await linkOf(visit);
  const typed = typedIn(visit);
  try {
    const body = bodyOf(typed, visit.language, link);
    const storedOf = (one: object) => changeable(typedFrom(one as Link));
    await saveOnce(visit, 'PATCH /links/:id', { id: link.id, typed: changeable(typed), body, storedOf });
    return redirect(`${visit.base}/links/${link.id}?done=update`);
  } catch (error) {
    return formPage(visit, await linkOf(visit), typed, faultOf(visit, error));
  }
}

/** Leaves out fields that the form of an existing link does not have. */
function changeable({ currency: _, ...others }: Typed): Omit<Typed, 'currency'> {
  return others;
}

/** Names under which the API rejects the fields that are shown. */
const SHOWN = [
  ...['title', 'description', 'reference', 'currency', 'amount', 'min_amount', 'max_amount'],
  ...['expires_at', 'max_uses', 'collect', 'callback'],
];

/** Renders the form. @param link the link that is changed; null for a new one */
function formPage(visit: TeamVisit, link: Link | null, typed: Typed, fault?: Fault): PageAnswer {
  const { base, language } = visit;
  const texts = LINK_TEXTS[language];
  const all = `${base}/links`;
  const back = link ? `${all}/${link.id}` : all;
  const title = link ? `${texts.edit} · ${link.title}` : texts.new;
  const errors = fault?.errors ?? {};
  return {
    kind: 'page',
    title,
    nav: '/links',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${back}">← ${link ? link.title : texts.title}</a></p>${pageHead(title)}${alert(unplaced(fault, SHOWN))}
<form method="post" action="${link ? `${back}/edit` : all}">${visit.formFields()}${link && seenField(visit, changeable(typedFrom(link)), fault)}
${card(texts.about, aboutFields(visit, typed, errors))}${card(texts.amounts, amountFields(visit, link, typed, errors))}${card(texts.limits, limitFields(visit, typed, errors))}${card(texts.payer, payerFields(visit, typed, errors))}
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="${back}">${texts.keep}</a></div></form>`,
  };
}

function aboutFields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = LINK_TEXTS[language];
  const common = (name: 'title' | 'description' | 'reference') => ({ name, value: typed[name], error: errors[name]?.[0] });
  return html`<div class="row">${field({ ...common('title'), label: texts.what, help: texts.whatHelp, maxlength: 200, required: true })}
${field({ ...common('reference'), label: texts.reference, help: texts.referenceHelp, maxlength: 128 })}</div>
${textarea({ ...common('description'), label: texts.description, help: texts.descriptionHelp, maxlength: 1000 })}`;
}

function amountFields({ language }: TeamVisit, link: Link | null, typed: Typed, errors: Fault['errors']): Html {
  const texts = LINK_TEXTS[language];
  const common = (name: 'amount' | 'min_amount' | 'max_amount') => {
    return { name, value: typed[name], error: errors[name]?.[0], inputmode: 'decimal', maxlength: 24, autocomplete: 'off' };
  };
  const currency = { name: 'currency', label: texts.currency, value: typed.currency, error: errors.currency?.[0] };
  return html`<div class="row">${field({ ...common('amount'), label: texts.amount, help: texts.amountHelp })}${
    link
      ? html`<p class="note">${texts.currencyFixed(link.currency)}</p>`
      : select(
          currency,
          CURRENCIES.map((code) => [code, code] as const),
        )
  }</div>
<div class="row">${field({ ...common('min_amount'), label: texts.least, help: texts.rangeHelp })}${field({ ...common('max_amount'), label: texts.greatest })}</div>`;
}

function limitFields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = LINK_TEXTS[language];
  const day = { name: 'last_day', label: texts.lastDay, value: typed.last_day, error: errors.expires_at?.[0] };
  const uses = { name: 'max_uses', label: texts.maxUses, value: typed.max_uses, error: errors.max_uses?.[0] };
  return html`<div class="row">${field({ ...day, help: texts.lastDayHelp, type: 'date' })}${field({ ...uses, help: texts.maxUsesHelp, inputmode: 'numeric', maxlength: 10 })}</div>`;
}

function payerFields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = LINK_TEXTS[language];
  const callback = { name: 'callback', label: texts.callback, value: typed.callback, error: errors.callback?.[0] };
  const boxes = PAYER_FIELDS.map((name) =>
    checkbox({ name: 'collect', value: name, label: texts.fields[name], checked: typed.collect.includes(name) }),
  );
  const group = { name: 'collect', legend: texts.collect, help: texts.collectHelp, error: errors.collect?.[0] };
  return html`<div class="row">${choices(group, boxes)}${field({ ...callback, help: texts.callbackHelp, maxlength: 2048 })}</div>`;
}
