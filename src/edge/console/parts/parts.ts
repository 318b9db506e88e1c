import { entryOf } from '../../../kit/entry-of.ts';
import { type Html, type HtmlPart, html, raw } from '../../../kit/html.ts';
import type { ConsoleLanguage } from '../language.ts';
import { moment } from './format.ts';

/** Head of a page: title, note and actions. */
export function pageHead(title: string, more: { note?: HtmlPart; actions?: HtmlPart } = {}): Html {
  return html`<div class="page-head"><div><h1>${title}</h1>${more.note && html`<p class="note">${more.note}</p>`}</div>${
    more.actions && html`<div class="actions">${more.actions}</div>`
  }</div>`;
}

/** Colour of a status, in addition to its text. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle';

/** A status with its colour. */
export function badge(text: string, tone: Tone): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** A moment with its machine-readable form. */
export function when(at: Date | string, language: ConsoleLanguage): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${new Date(at).toISOString()}">${moment(at, language)}</time>`;
}

/** An id that can be selected whole and, with script, copied. */
export function idText(id: string, href?: string): Html {
  const text = href === undefined ? html`<code>${id}</code>` : html`<a href="${href}"><code>${id}</code></a>`;
  return html`<span class="id" data-copy="${id}">${text}</span>`;
}

/** The end of an id, where space is short. It is enough to distinguish the rows of a page. Copying copies the whole id. */
export function shortId(id: string, href?: string): Html {
  const [, kind = '', end = ''] = /^([a-z]+)_.*(.{6})$/.exec(id) ?? [];
  const text = html`<code>${kind}…${end}</code>`;
  return html`<span class="id short" data-copy="${id}" title="${id}">${href === undefined ? text : html`<a href="${href}">${text}</a>`}</span>`;
}

export interface Column<Row> {
  /** Visible head of the column. */
  head: string;
  cell(row: Row): HtmlPart;
  /** Numbers are aligned to the right. */
  kind?: 'number' | 'main';
}

/** A table that becomes a list of cards on a phone. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const heads = columns.map(({ head, kind }) => html`<th scope="col"${kind && html` class="${kind}"`}>${head}</th>`);
  const cells = (row: Row) =>
    columns.map(({ head, kind, cell }) => html`<td data-head="${head}"${kind && html` class="${kind}"`}>${cell(row)}</td>`);
  return html`<div class="table"><table><caption class="quiet">${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</tbody></table></div>`;
}

/** List of labels and values. Rows without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: HtmlPart])[]): Html {
  const given = rows.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return html`<dl class="facts">${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A titled part of a page. */
export function card(title: string, body: HtmlPart, more: { actions?: HtmlPart } = {}): Html {
  return html`<section class="card"><div class="card-head"><h2>${title}</h2>${more.actions}</div>${body}</section>`;
}

/** Message of an empty list. */
export function empty(title: string, text: HtmlPart): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${text}</p></div>`;
}

export interface Field {
  name: string;
  label: string;
  value?: string | undefined;
  help?: HtmlPart;
  error?: HtmlPart;
  /** Default: text. */
  type?: 'text' | 'color' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'tel';
  autocomplete?: string;
  inputmode?: string;
  required?: boolean;
  autofocus?: boolean;
  maxlength?: number;
  placeholder?: string;
}

/** A labelled input with its help and error, which screen readers announce with it. */
export function field(given: Field): Html {
  const { name, label, value = '', type = 'text', autocomplete, inputmode, maxlength, placeholder } = given;
  const attributes = html` type="${type}" value="${value}"${autocomplete && html` autocomplete="${autocomplete}"`}${
    inputmode && html` inputmode="${inputmode}"`
  }${maxlength && html` maxlength="${maxlength}"`}${placeholder && html` placeholder="${placeholder}"`}${
    given.required && raw(' required')
  }${(given.autofocus || given.error) && raw(' autofocus')}`;
  return labelled(given, (described) => html`<input id="f-${name}" name="${name}"${attributes}${described}>`, label);
}

/** A labelled choice. */
export function select(
  given: Pick<Field, 'name' | 'label' | 'value' | 'help' | 'error'>,
  options: readonly (readonly [value: string, label: string])[],
): Html {
  const choices = options.map(
    ([value, label]) => html`<option value="${value}"${value === (given.value ?? '') && raw(' selected')}>${label}</option>`,
  );
  return labelled(
    given,
    (described) => html`<select id="f-${given.name}" name="${given.name}"${described}>${choices}</select>`,
    given.label,
  );
}

/** A labelled text of several lines. */
export function textarea(given: Pick<Field, 'name' | 'label' | 'value' | 'help' | 'error' | 'maxlength' | 'required'>): Html {
  const { name, label, value = '', maxlength, required } = given;
  const attributes = html`${maxlength && html` maxlength="${maxlength}"`}${required && raw(' required')}`;
  // A browser drops a line break directly after the tag, so another one is written before the text.
  return labelled(
    given,
    (described) => html`<textarea id="f-${name}" name="${name}" rows="4"${attributes}${described}>\n${value}</textarea>`,
    label,
  );
}

function labelled(given: Pick<Field, 'name' | 'help' | 'error'>, control: (described: Html) => Html, label: string): Html {
  const { name, help, error } = given;
  const ids = [error && `f-${name}-error`, help && `f-${name}-help`].filter(Boolean).join(' ');
  const described = html`${ids && html` aria-describedby="${ids}"`}${error && raw(' aria-invalid="true"')}`;
  return html`<div class="field"><label for="f-${name}">${label}</label>${control(described)}${
    error && html`<p class="error" id="f-${name}-error">${error}</p>`
  }${help && html`<p class="help" id="f-${name}-help">${help}</p>`}</div>`;
}

/** An action with a confirmation that states its effect. It works without script. */
export function confirm(given: { summary: string; why: string; action: string; danger?: boolean }, formFields: Html): Html {
  const { summary, why, action, danger } = given;
  const kind = danger && html` class="danger"`;
  return html`<details class="confirm"><summary class="button${danger && ' danger'}">${summary}</summary><form method="post" action="${action}">${formFields}
<p>${why}</p><button${kind}>${summary}</button></form></details>`;
}

/** A message above a form or a page, announced by screen readers. */
export function alert(text: HtmlPart, tone: 'bad' | 'good' | 'info' = 'bad'): Html {
  return html`${text && html`<p class="alert ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">${text}</p>`}`;
}

/** Notice of a completed action, whose name is in `?done=` after its redirect. Empty for other names. */
export function doneAlert(texts: Readonly<Record<string, string>>, done: string | undefined): Html {
  return alert(done !== undefined && entryOf(texts, done), 'good');
}
