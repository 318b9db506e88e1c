import { type Html, html } from '../../../../kit/html.ts';
import { CURRENCIES } from '../../../../kit/money.ts';
import { LANGUAGES, textsIn } from '../../../pages/language.ts';
import { type PageAnswer, fieldOf, redirect, type Answer, type TeamVisit } from '../../page.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { checkbox, choices } from '../../parts/choices.ts';
import { alert, card, field, pageHead, select, textarea } from '../../parts/parts.ts';
import { seenField } from '../../parts/seen.ts';
import { saveOnce } from '../../save-once.ts';
import { type Invoice, invoiceOf } from './read.ts';
import { INVOICE_TEXTS } from './texts.ts';
import { bodyOf, LINE_FIELDS, newInvoice, type Typed, type TypedLine, typedFrom, typedIn, withLine } from './typed.ts';

/** Shows the form of a new invoice. */
export function showCreate(visit: TeamVisit): Answer {
  return formPage(visit, null, newInvoice(visit.team.default_currency));
}

/** Saves a new draft, or shows the form with another line. */
export async function createInvoice(visit: TeamVisit): Promise<Answer> {
  const typed = typedIn(visit);
  if (asksForLine(visit)) return formPage(visit, null, withLine(typed));
  try {
    const body = bodyOf(typed, visit.language);
    const made = await visit.api('POST /invoices', { body, idempotency_key: visit.formKey });
    const { id } = (made.body as { invoice: Invoice }).invoice;
    return redirect(`${visit.base}/invoices/${id}?done=create`);
  } catch (error) {
    return formPage(visit, null, typed, faultOf(visit, error));
  }
}

/** Shows the form of a draft. An invoice that was sent is shown instead: it cannot be changed. */
export async function showEdit(visit: TeamVisit): Promise<Answer> {
  const invoice = await invoiceOf(visit);
  if (invoice.status !== 'draft') return redirect(`${visit.base}/invoices/${invoice.id}`);
  return formPage(visit, invoice, typedFrom(invoice));
}

/** Saves a changed draft, or shows the form with another line. */
export async function editInvoice(visit: TeamVisit): Promise<Answer> {
  const invoice = await invoiceOf(visit);
  const typed = typedIn(visit);
  if (asksForLine(visit)) return formPage(visit, invoice, withLine(typed));
  try {
    const { id } = invoice;
    const body = bodyOf(typed, visit.language, invoice);
    const storedOf = (one: object) => typedFrom(one as Invoice);
    await saveOnce(visit, 'PATCH /invoices/:id', { id, typed, body, storedOf });
    return redirect(`${visit.base}/invoices/${id}?done=update`);
  } catch (error) {
    return formPage(visit, await invoiceOf(visit), typed, faultOf(visit, error));
  }
}

function asksForLine(visit: TeamVisit): boolean {
  return fieldOf(visit, 'do') === 'add-line';
}

/** Renders the form. @param invoice the draft that is changed; null for a new one */
function formPage(visit: TeamVisit, invoice: Invoice | null, typed: Typed, fault?: Fault): PageAnswer {
  const { base, language } = visit;
  const texts = INVOICE_TEXTS[language];
  const all = `${base}/invoices`;
  const back = invoice ? `${all}/${invoice.id}` : all;
  const title = invoice ? `${texts.edit} · ${texts.draft}` : texts.new;
  const lines = typed.lines.length > 0 ? typed.lines : withLine(typed).lines;
  const errors = fault?.errors ?? {};
  // Enter in a field activates the first button of a form, which must not be the one that adds a line.
  return {
    kind: 'page',
    title,
    nav: '/invoices',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${back}">← ${texts.title}</a></p>${pageHead(title)}${alert(unplaced(fault, shownNames(lines)))}
<form method="post" action="${invoice ? `${back}/edit` : all}" class="invoice-form">${visit.formFields()}${invoice && seenField(visit, typedFrom(invoice), fault)}<button class="quiet" tabindex="-1" aria-hidden="true">${texts.save}</button>
${card(texts.customer, customerFields(visit, typed, errors))}${card(texts.lines, lineFields(visit, typed, lines, errors))}${card(texts.terms, termFields(visit, typed, errors))}
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="${back}">${texts.keep}</a></div></form>`,
  };
}

/** Names under which the API rejects the fields that are shown. */
function shownNames(lines: readonly TypedLine[]): string[] {
  const terms = ['items', 'currency', 'due_date', 'reference', 'notes', 'min_amount', 'locale'];
  const customer = ['name', 'email', 'phone'].map((name) => `customer.${name}`);
  return [...terms, ...customer, ...lines.flatMap((_, i) => LINE_FIELDS.map((name) => `items.${i}.${apiName(name)}`))];
}

function apiName(name: (typeof LINE_FIELDS)[number]): string {
  return name === 'price' ? 'unit_price' : name;
}

function customerFields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = INVOICE_TEXTS[language];
  const common = (name: 'name' | 'email' | 'phone') => {
    return { name, label: texts[name], value: typed[name], error: errors[`customer.${name}`]?.[0], autocomplete: 'off' };
  };
  return html`<div class="row">${field({ ...common('name'), maxlength: 255 })}${field({ ...common('email'), type: 'email', maxlength: 255 })}${field(
    { ...common('phone'), type: 'tel', maxlength: 32 },
  )}</div><p class="help">${texts.customerHelp}</p>`;
}

function lineFields({ language }: TeamVisit, typed: Typed, lines: readonly TypedLine[], errors: Fault['errors']): Html {
  const texts = INVOICE_TEXTS[language];
  const labels = { name: texts.line, description: texts.description, quantity: texts.quantity, price: texts.price };
  const numeric = (name: string) => (name === 'quantity' || name === 'price' ? { inputmode: 'decimal', maxlength: 24 } : {});
  const row = (line: TypedLine, i: number) =>
    LINE_FIELDS.map((name) =>
      field({
        name: `line_${i}_${name}`,
        label: i === 0 ? labels[name] : texts.ofLine(labels[name], i + 1),
        value: line[name],
        error: errors[`items.${i}.${apiName(name)}`]?.[0],
        autocomplete: 'off',
        maxlength: name === 'name' ? 255 : 1000,
        ...numeric(name),
      }),
    );
  const currency = { name: 'currency', label: texts.currency, value: typed.currency, error: errors.currency?.[0] };
  return html`<div class="row">${select(
    currency,
    CURRENCIES.map((code) => [code, code] as const),
  )}</div>${errors.items && html`<p class="error">${errors.items[0]}</p>`}
${lines.map((line, i) => html`<div class="row line">${row(line, i)}</div>`)}<p class="help">${texts.linesHelp}</p>
<div class="form-actions"><button class="quiet-button" name="do" value="add-line" formnovalidate>${texts.addLine}</button></div>`;
}

function termFields({ language }: TeamVisit, typed: Typed, errors: Fault['errors']): Html {
  const texts = INVOICE_TEXTS[language];
  const common = (name: 'due_date' | 'reference' | 'notes' | 'min_amount' | 'locale') => {
    return { name, value: typed[name], error: errors[name]?.[0], autocomplete: 'off' };
  };
  const languages = LANGUAGES.map((code) => [code, textsIn(code).name] as const);
  return html`<div class="row">${field({ ...common('due_date'), label: texts.due, help: texts.dueHelp, type: 'date' })}
${field({ ...common('reference'), label: texts.reference, help: texts.referenceHelp, maxlength: 128 })}
${select({ ...common('locale'), label: texts.locale, help: texts.localeHelp }, [['', texts.localeDefault], ...languages])}</div>
<div class="row">${choices(
    { name: 'allow_partial', legend: texts.partial },
    checkbox({ name: 'allow_partial', value: 'yes', label: texts.partialLabel, checked: typed.allow_partial }),
  )}
${field({ ...common('min_amount'), label: texts.least, help: texts.leastHelp, inputmode: 'decimal', maxlength: 24 })}</div>
${textarea({ ...common('notes'), label: texts.notes, help: texts.notesHelp, maxlength: 2000 })}`;
}
