import { type CardRule, holdsCard } from '../../kit/cards.ts';
import type { FieldErrors } from '../../kit/errors.ts';

/** Deeper than any request needs, and far below the recursion limit. */
const MAX_LEVELS = 32;
/** More than any request needs. A value of three bytes takes dozens of bytes of memory, again for each object of a list that is read. */
const MAX_VALUES = 10_000;
/** Maximum characters of a field name repeated in an error. */
const MAX_SHOWN_KEY = 64;
/** Maximum number of messages, because a hostile body can contain thousands of faults. */
const MAX_FAULTS = 20;

export interface Inspection {
  /** Raw card data: a reason per dotted path; never the values. */
  cards: FieldErrors;
  /** Text that cannot be stored, and nesting that is too deep. */
  faults: FieldErrors;
}

/** Reasons reported to the caller, so that the sender of a harmless reference learns why it was rejected. */
const SEEN = {
  field: ['is a field for raw card data, which is never accepted here'],
  number: ['looks like it holds a card number, which is never accepted here'],
};

const CARD_KEYS = /^(card_?number|card_?no|pan|cvc2?|cvv2?|csc|security_?code|card_?pin|pin)$/;
/** Harmless alone; next to a card field, or inside `card`, these fields are part of the card data. */
const CARD_COMPANIONS = /^(number|exp.*)$/;
/**
 * Fields for phone and account numbers, where one in ten 13-digit numbers passes the Luhn check. Such a number is accepted only in an
 * operation that has the field. Elsewhere, the caller may be testing where a card number is accepted.
 */
const NUMBER_FIELDS = new Set([
  'phone',
  'customer.phone',
  'shipping.phone',
  'recipient',
  'account_number',
  'data.phone',
  'data.account_number',
  'data.otp',
  'beneficiary.phone',
  'beneficiary.account_number',
  'settlement.account_number',
]);
/** Fields that an operation has: the properties of its body's schema. */
export type KnownFields = Readonly<Record<string, unknown>>;

/** No phone number has more digits, even with a leading 00. A longer number that passes the card check is a card number. */
const MAX_PHONE = 15;

/** Classification of a field by its name. */
interface Named {
  /** Names card data. */
  card: boolean;
  /** Names card data when it is next to a card field. */
  companion: boolean;
  /** Names an object of card data. */
  cards: boolean;
  /** Contains a card number. */
  numbered: boolean;
  fault: string | null;
}

/** Cache by field name. Most bodies have the same names, and examining a name takes longer than examining its value. */
const known: Record<CardRule, Map<string, Named>> = { issued: new Map(), any: new Map() };
const MAX_KNOWN = 1_000;

function namedBy(key: string, rule: CardRule): Named {
  const found = known[rule].get(key);
  if (found) return found;
  const name = normal(key);
  const named = {
    ...{ card: CARD_KEYS.test(name), companion: CARD_COMPANIONS.test(name), cards: /^cards?$/.test(name) },
    ...{ numbered: holdsCard(key, rule), fault: textFault(key) },
  };
  // Long names and names with a card number are not cached, because they may be payers' data.
  if (known[rule].size < MAX_KNOWN && key.length <= MAX_SHOWN_KEY && !named.numbered) known[rule].set(key, named);
  return named;
}

/** Classification of an array element, which has no name. */
const UNNAMED: Named = { card: false, companion: false, cards: false, numbered: false, fault: null };

interface Node {
  value: unknown;
  path: string;
  key: string;
  level: number;
  in_card: boolean;
}

/**
 * Walks a parsed body once, without recursion, and reports disallowed content: raw card data (by field name, or digits that
 * are a card number), NUL bytes and lone surrogates (PostgreSQL cannot store them), excessive nesting and too many values.
 * @param rule which numbers count as card numbers
 * @param fields fields that the operation has. Absent: any
 */
export function inspectBody(body: unknown, rule: CardRule = 'issued', fields?: KnownFields): Inspection {
  const found: Inspection = { cards: {}, faults: {} };
  const stack: Node[] = [{ value: body, path: '', key: '', level: 0, in_card: false }];
  let values = 0;
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (typeof node.value === 'string') inspectText(node, { rule, fields }, found);
    else if (typeof node.value === 'number') inspectNumber(node, { rule, fields }, found);
    else if (node.value !== null && typeof node.value === 'object') {
      values += Array.isArray(node.value) ? node.value.length : Object.keys(node.value).length;
      if (values > MAX_VALUES) return { ...found, faults: { body: [`has more than ${MAX_VALUES} values`] } };
      inspectObject(node, rule, stack, found);
    }
    if (Object.keys(found.faults).length >= MAX_FAULTS || Object.keys(found.cards).length >= MAX_FAULTS) break;
  }
  return found;
}

function inspectObject(node: Node, rule: CardRule, stack: Node[], found: Inspection): void {
  if (node.level >= MAX_LEVELS) {
    found.faults[topOf(node.path)] = [`is nested deeper than ${MAX_LEVELS} levels`];
    return;
  }
  const isArray = Array.isArray(node.value);
  const entries = Object.entries(node.value as object).map(([key, value]) => ({
    ...{ key, value },
    named: isArray ? UNNAMED : namedBy(key, rule),
  }));
  const beside = entries.some(({ named }) => named.card);
  const inCard = node.in_card || namedBy(node.key, rule).cards;
  for (const { key, value, named } of entries) {
    const { card, companion, numbered, fault } = named;
    // The path in an error must not contain the card number that it reports.
    const step = numbered ? '[redacted]' : key.slice(0, MAX_SHOWN_KEY);
    const path = node.path === '' ? step : `${node.path}.${step}`;
    if (value !== null && value !== '' && (card || ((beside || inCard) && companion))) found.cards[path] = SEEN.field;
    if (numbered) found.cards[node.path || 'body'] = SEEN.number;
    if (fault) found.faults[node.path || 'body'] = [`has a field name that ${fault}`];
    stack.push({ value, path, key, level: node.level + 1, in_card: inCard });
  }
}

/** Which numbers are card numbers. */
interface Numbers {
  rule: CardRule;
  fields: KnownFields | undefined;
}

function inspectText({ value, path, key }: Node, { rule, fields }: Numbers, found: Inspection): void {
  const text = value as string;
  const fault = textFault(text);
  if (fault) found.faults[path] = [fault];
  if (!holdsCard(text, rule)) return;
  const phone = key === 'phone' || key === 'recipient';
  const fits = path.startsWith('data.') || !phone || digitsOf(text).length <= MAX_PHONE;
  if (!(fits && isNumberField(path, fields))) found.cards[path] = SEEN.number;
}

/** The largest amount has 13 digits, so numbers are checked from 14 digits. */
function inspectNumber({ value, path }: Node, { rule, fields }: Numbers, found: Inspection): void {
  const number = value as number;
  if (!Number.isFinite(number)) found.faults[path] = ['is too large'];
  else if (number >= 1e13 && !isNumberField(path, fields) && holdsCard(BigInt(Math.trunc(number)).toString(), rule))
    found.cards[path] = SEEN.number;
}

function isNumberField(path: string, fields: KnownFields | undefined): boolean {
  return NUMBER_FIELDS.has(path) && (!fields || Object.hasOwn(fields, topOf(path)));
}

/** Returns why PostgreSQL cannot store the text unchanged, or null. */
export function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain NUL characters';
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has half a surrogate pair)';
  return null;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Normalises a field name: case, dashes and camel case do not matter, so cardNumber, Card-Number and CARD_NUMBER are equal. */
function normal(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

function topOf(path: string): string {
  return path.split('.')[0] || 'body';
}
