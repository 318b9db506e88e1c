import { ownFaults } from '../../messages/own.ts';
import { startOfUtcDay } from '../../../../kit/days.ts';
import type { FieldErrors } from '../../../../kit/errors.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { fieldOf, type TeamVisit } from '../../page.ts';
import { typedAmount } from '../../parts/amount.ts';
import { chosenOf } from '../../parts/choices.ts';
import type { Link } from './read.ts';
import { LINK_TEXTS } from './texts.ts';

const DAY_MS = 86_400_000;

const TEXT_FIELDS = [
  'title',
  'description',
  'reference',
  'currency',
  'amount',
  'min_amount',
  'max_amount',
  'last_day',
  'max_uses',
  'callback',
] as const;

type TextField = (typeof TEXT_FIELDS)[number];

/** A payment link as it is typed. */
export type Typed = Record<TextField, string> & { collect: string[] };

/** Returns the form of a new link. */
export function newLink(currency: string): Typed {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, ''])) as Record<TextField, string>;
  return { ...texts, currency, collect: ['phone'] };
}

/** Returns the form of a link. */
export function typedFrom(link: Link): Typed {
  const { title, description, reference, currency, amount, min_amount, max_amount, expires_at, max_uses, callback, collect } =
    link;
  return {
    ...{ title, currency, collect, description: description ?? '', reference: reference ?? '', callback: callback ?? '' },
    ...{ amount: String(amount ?? ''), min_amount: String(min_amount ?? ''), max_amount: String(max_amount ?? '') },
    ...{ last_day: lastDayOf(expires_at), max_uses: String(max_uses ?? '') },
  };
}

/** Reads the form. */
export function typedIn(visit: TeamVisit): Typed {
  const texts = Object.fromEntries(TEXT_FIELDS.map((name) => [name, fieldOf(visit, name)])) as Record<TextField, string>;
  return { ...texts, collect: chosenOf(visit, 'collect') };
}

/** Returns the UTC day of the last moment before the expiry. */
function lastDayOf(expires_at: string | null): string {
  return expires_at === null ? '' : new Date(Date.parse(expires_at) - 1).toISOString().slice(0, 10);
}

/**
 * Returns the body of POST /links, or of PATCH.
 * @param before the link that is changed: when the day is unchanged, the expiry is kept to the second
 * @throws Problem 422 for invalid numbers
 */
export function bodyOf(typed: Typed, language: ConsoleLanguage, before?: Link): object {
  const { faults } = LINK_TEXTS[language];
  const errors: FieldErrors = {};
  const amount = (name: 'amount' | 'min_amount' | 'max_amount') => {
    const value = typed[name] === '' ? null : typedAmount(typed[name]);
    if (value === null && typed[name] !== '') errors[name] = [faults.amount];
    return value;
  };
  const amounts = { amount: amount('amount'), min_amount: amount('min_amount'), max_amount: amount('max_amount') };
  if (typed.max_uses !== '' && !/^\d{1,10}$/.test(typed.max_uses)) errors.max_uses = [faults.count];
  if (Object.keys(errors).length > 0) throw ownFaults(errors);
  const { title, collect, last_day, currency } = typed;
  return {
    ...{ title, collect, ...amounts, ...(before ? {} : { currency }) },
    description: typed.description || null,
    reference: typed.reference || null,
    callback: typed.callback || null,
    max_uses: typed.max_uses === '' ? null : Number(typed.max_uses),
    ...(before && lastDayOf(before.expires_at) === last_day ? {} : { expires_at: endOf(last_day) }),
  };
}

/** Returns the end of a UTC day; the text itself when it is not a day, which the API rejects. */
function endOf(day: string): string | null {
  if (day === '') return null;
  const start = startOfUtcDay(day);
  return start === null ? day : new Date(start + DAY_MS).toISOString();
}
