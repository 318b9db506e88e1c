import { holdsCard } from '../../kit/cards.ts';
import { CONTAINERS, FIELDS, type Kind, NAMED } from './fields.ts';

const HIDDEN = '…';
/** A longer body is not parsed. */
const MAX_PARSED = 64 * 1024;
const MAX_STORED = 4_000;
const MAX_DEPTH = 6;
const MAX_ITEMS = 10;
/** Maximum fields of one object that are examined. */
const MAX_FIELDS = 60;
/** Number of final digits by which a phone number is recognised in any form: without its country code, or with spaces. */
const TAIL = 7;

const OWN_ID = /^[a-z]{2,4}_(?:test_)?[0-9a-hjkmnp-tv-z]{26}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FORMS: Readonly<Record<Exclude<Kind, 'own'>, RegExp>> = {
  code: /^(?:[A-Za-z][A-Za-z_.-]{0,47}(?:\d{1,4})?|-?\d{1,5}(?:\.\d{1,4}){0,3}|[A-Z]{2,6}\d{1,4}(?:[._-]\d{1,4}){0,3})$/,
  amount: /^-?\d{1,12}(?:\.\d{1,4})?$/,
  time: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/,
  id: /^[A-Za-z0-9][A-Za-z0-9_.-]{3,63}$/,
};

/** Matches the capitalisation of names, which few codes have. */
const CAPITALISED = /^[A-Z][a-z]+(?:[-_.][A-Z][a-z]+)*$/;

/** Known numbers of the person whose money is moved, in any form. Null: none is known. */
export type KnownNumbers = readonly string[] | null;

/**
 * Returns the storable form of a JSON body: the values of listed fields that have the form of their kind, and neither contain nor
 * could be a number of the person. Other fields are only counted, because even the name of a field may be personal data.
 * @returns null when the body is empty, too long or not JSON
 */
export function redactedBody(text: string, numbers: KnownNumbers): string | null {
  if (text === '' || text.length > MAX_PARSED) return null;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof body !== 'object' || body === null) return null;
  return JSON.stringify(redacted(body, tailsOf(numbers), 0)).slice(0, MAX_STORED);
}

/**
 * Returns the storable form of the path of a provider's address: words, versions, and ids that are ours or random. Any other segment
 * becomes `…`. Host and query are left out.
 */
export function redactedPath(url: string): string {
  const path = URL.parse(url)?.pathname ?? '/';
  const kept = (segment: string) =>
    /^[A-Za-z][A-Za-z._-]{0,30}$/.test(segment) ||
    /^v\d{1,2}(?:_\d{1,2})?$/.test(segment) ||
    OWN_ID.test(segment) ||
    UUID.test(segment);
  return path
    .split('/')
    .slice(0, 12)
    .map((segment) => (segment === '' || kept(segment) ? segment : HIDDEN))
    .join('/');
}

type Tails = readonly string[] | null;

/**
 * Returns the final digits of the numbers; null when they are not sufficient to recognise the person. A number may be too short. When
 * there is only an account number or a token, the phone number of the person is unknown.
 */
function tailsOf(numbers: KnownNumbers): Tails {
  if (!numbers?.some((number) => number.startsWith('+'))) return null;
  const tails = numbers.map((number) => number.replace(/\D/g, '').slice(-TAIL));
  return tails.every(({ length }) => length === TAIL) ? tails : null;
}

function redacted(value: object, tails: Tails, depth: number): unknown {
  if (depth === MAX_DEPTH) return HIDDEN;
  if (Array.isArray(value)) {
    return value
      .slice(0, MAX_ITEMS)
      .map((item) => (typeof item === 'object' && item !== null ? redacted(item, tails, depth + 1) : HIDDEN));
  }
  const shown: Record<string, unknown> = {};
  let others = 0;
  for (const [name, one] of Object.entries(value).slice(0, MAX_FIELDS)) {
    const kind = FIELDS.get(name);
    if (typeof one === 'object' && one !== null && (CONTAINERS.has(name) || kind)) shown[name] = redacted(one, tails, depth + 1);
    else if (kind) shown[name] = isKept(one, kind, tails) ? one : HIDDEN;
    else if (NAMED.has(name) || CONTAINERS.has(name)) shown[name] = HIDDEN;
    else others++;
  }
  return others === 0 ? shown : { ...shown, [HIDDEN]: others };
}

function isKept(value: unknown, kind: Kind, tails: Tails): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value);
  if (OWN_ID.test(text) || UUID.test(text)) return kind === 'id' || kind === 'own';
  if (kind === 'own' || !FORMS[kind].test(text) || holdsCard(text, 'any')) return false;
  if (kind === 'code' && CAPITALISED.test(text)) return false;
  // A word could be a name. The ids of providers have digits.
  if (kind === 'id' && !/\d/.test(text)) return false;
  const digits = text.replace(/\D/g, '');
  if (digits.length < TAIL || kind === 'time') return true;
  return tails !== null && !tails.some((tail) => digits.includes(tail));
}
