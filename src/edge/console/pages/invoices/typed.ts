import { ownFaults } from '../../messages/own.ts';
import type { FieldErrors } from '../../../../kit/errors.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { fieldOf, type TeamVisit } from '../../page.ts';
import { typedAmount } from '../../parts/amount.ts';
import type { Invoice } from './read.ts';
import { INVOICE_TEXTS } from './texts.ts';

/** Maximum number of lines, as in the API. */
export const MAX_LINES = 100;

/** Lines that a new form shows. */
const FIRST_LINES = 3;

/** The fields of a line, in the order in which they are shown. */
export const LINE_FIELDS = ['name', 'description', 'quantity', 'price'] as const;

export type TypedLine = Record<(typeof LINE_FIELDS)[number], string>;

const TEXT_FIELDS = ['name', 'email', 'phone', 'currency', 'due_date', 'reference', 'notes', 'min_amount', 'locale'] as const;

/** An invoice as it is typed. */
export type Typed = Record<(typeof TEXT_FIELDS)[number], string> & { allow_partial: boolean; lines: TypedLine[] };

const EMPTY_LINE: TypedLine = { name: '', description: '', quantity: '', price: '' };

/** Returns the form of a new invoice. */
export function newInvoice(currency: string): Typed {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, ''])) as Record<(typeof TEXT_FIELDS)[number], string>;
  return { ...texts, currency, allow_partial: false, lines: padded([], FIRST_LINES) };
}

/** Returns the form of a draft. */
export function typedFrom({ recipient, items, ...draft }: Invoice): Typed {
  const { currency, due_date, reference, notes, min_amount, locale, allow_partial } = draft;
  return {
    ...{ name: recipient.name ?? '', email: recipient.email ?? '', phone: recipient.phone ?? '' },
    ...{ currency, allow_partial, due_date: due_date ?? '', reference: reference ?? '', notes: notes ?? '' },
    min_amount: String(min_amount ?? ''),
    locale: locale ?? '',
    lines: items.map(({ name, description, quantity, unit_price }) => {
      return { name, description: description ?? '', quantity: quantityText(quantity), price: String(unit_price) };
    }),
  };
}

/** Reads the form. Lines that are empty are left out, so that the API numbers lines as they are shown again. */
export function typedIn(visit: TeamVisit): Typed {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, fieldOf(visit, name)]));
  const lines = Array.from({ length: MAX_LINES }, (_, i) => {
    return Object.fromEntries(LINE_FIELDS.map((name) => [name, fieldOf(visit, `line_${i}_${name}`)])) as TypedLine;
  });
  return {
    ...(texts as Record<(typeof TEXT_FIELDS)[number], string>),
    allow_partial: fieldOf(visit, 'allow_partial') === 'yes',
    lines: lines.filter((line) => Object.values(line).some((text) => text !== '')),
  };
}

/** Returns the form with one more empty line. */
export function withLine(typed: Typed): Typed {
  return { ...typed, lines: padded(typed.lines, Math.min(typed.lines.length + 1, MAX_LINES)) };
}

function padded(lines: readonly TypedLine[], count: number): TypedLine[] {
  return [...lines, ...Array.from({ length: count - lines.length }, () => EMPTY_LINE)];
}

/**
 * Returns the body of POST /invoices, or of PATCH.
 * @param before the draft that is changed: an unchanged recipient is not sent, and keeps its customer
 * @throws Problem 422 for invalid numbers
 */
export function bodyOf(typed: Typed, language: ConsoleLanguage, before?: Invoice): object {
  const { name, email, phone, currency, due_date, reference, notes, locale, allow_partial } = typed;
  const { faults } = INVOICE_TEXTS[language];
  const errors: FieldErrors = {};
  const amount = (path: string, text: string): number | null => {
    const value = typedAmount(text);
    if (value === null) errors[path] = [faults.amount];
    return value;
  };
  const items = typed.lines.map(({ quantity, price, ...texts }, i) => {
    const count = quantity === '' ? 1 : typedQuantity(quantity);
    if (count === null) errors[`items.${i}.quantity`] = [faults.quantity];
    const unit_price = amount(`items.${i}.unit_price`, price);
    return { name: texts.name, description: texts.description || null, quantity: count, unit_price };
  });
  const min_amount = typed.min_amount === '' ? null : amount('min_amount', typed.min_amount);
  if (Object.keys(errors).length > 0) throw ownFaults(errors);
  const given = Object.entries({ name, email, phone }).filter(([, text]) => text !== '');
  const { recipient } = before ?? {};
  const kept = recipient && (['name', 'email', 'phone'] as const).every((key) => (recipient[key] ?? '') === typed[key]);
  return {
    ...{ items, currency, allow_partial, min_amount },
    ...(kept ? {} : { customer: Object.fromEntries(given) }),
    ...{ due_date: due_date || null, reference: reference || null, notes: notes || null, locale: locale || null },
  };
}

/**
 * Parses a quantity: `2`, `1.5`, `1,5`, `0.125`; null for any other text. `1,500` and `1.500` are rejected too, because the separator could
 * mean decimals or thousands. A quantity above one with three decimals is written with a trailing zero: `1.1250`.
 */
function typedQuantity(text: string): number | null {
  const compact = text.replace(/[\s\u00A0\u202F]/g, '').replace(',', '.');
  return /^(?:\d{1,7}(?:\.(?:\d{1,2}|\d{3}0))?|0\.\d{3})$/.test(compact) ? Number(compact) : null;
}

/** Formats a quantity so that {@link typedQuantity} accepts it. */
function quantityText(quantity: number): string {
  const text = String(quantity);
  return /^[1-9]\d*\.\d{3}$/.test(text) ? `${text}0` : text;
}
