import { holdsCard } from '../kit/cards.ts';
import type { FieldErrors } from '../kit/errors.ts';

/** Deeper than anything a payment needs; far below what recursion could not take. */
const MOST_LEVELS = 32;
/** At most so many messages: an attacker's body has room for thousands of faults. */
const MOST_FAULTS = 20;

export interface Inspection {
  /** Dotted paths of raw card data; never the values. */
  card_paths: string[];
  /** Text that can not be stored, and nesting that is too deep. */
  faults: FieldErrors;
}

const CARD_KEYS = /^(card_?number|card_?no|pan|cvc2?|cvv2?|csc|security_?code|card_?pin|pin)$/;
/** Harmless alone; beside a card field, or inside `card`, they are part of one. */
const CARD_COMPANIONS = /^(number|exp.*)$/;
/** Where numbers are phone or account numbers: one in ten with 13 digits passes a card's check sum. */
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
/** No phone number has more digits, even with a 00 in front: a longer one that checks out is a card. */
const LONGEST_PHONE = 15;

interface Node {
  value: unknown;
  path: string;
  key: string;
  level: number;
  in_card: boolean;
}

/**
 * Walks a parsed body once, without recursion, and reports what must not come in: raw card data (by field name, or
 * digits that are a card number), NUL bytes and lone surrogates (PostgreSQL can not store them), endless nesting.
 */
export function inspectBody(body: unknown): Inspection {
  const found: Inspection = { card_paths: [], faults: {} };
  const stack: Node[] = [{ value: body, path: '', key: '', level: 0, in_card: false }];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (typeof node.value === 'string') inspectText(node, found);
    else if (typeof node.value === 'number') inspectNumber(node, found);
    else if (node.value !== null && typeof node.value === 'object') inspectObject(node, stack, found);
    if (Object.keys(found.faults).length >= MOST_FAULTS || found.card_paths.length >= MOST_FAULTS) break;
  }
  return found;
}

function inspectObject(node: Node, stack: Node[], found: Inspection): void {
  if (node.level >= MOST_LEVELS) {
    found.faults[topOf(node.path)] = [`is nested deeper than ${MOST_LEVELS} levels`];
    return;
  }
  const entries = Object.entries(node.value as object);
  const named = entries.some(([key]) => CARD_KEYS.test(normal(key)));
  const inCard = node.in_card || /^cards?$/.test(normal(node.key));
  for (const [key, value] of entries) {
    const path = node.path === '' ? safe(key) : `${node.path}.${safe(key)}`;
    const name = normal(key);
    if (value !== null && value !== '' && (CARD_KEYS.test(name) || ((named || inCard) && CARD_COMPANIONS.test(name)))) {
      found.card_paths.push(path);
    }
    if (holdsCard(key)) found.card_paths.push(node.path || 'body');
    const fault = textFault(key);
    if (fault) found.faults[node.path || 'body'] = [`has a field name that ${fault}`];
    stack.push({ value, path, key, level: node.level + 1, in_card: inCard });
  }
}

function inspectText({ value, path, key }: Node, found: Inspection): void {
  const text = value as string;
  const fault = textFault(text);
  if (fault) found.faults[path] = [fault];
  const phone = key === 'phone' || key === 'recipient';
  const exempt = NUMBER_FIELDS.has(path) && (path.startsWith('data.') || !phone || digitsOf(text).length <= LONGEST_PHONE);
  if (!exempt && holdsCard(text)) found.card_paths.push(path);
}

/** The largest amount has 13 digits, so a number is looked at from 14 on. */
function inspectNumber({ value, path }: Node, found: Inspection): void {
  const number = value as number;
  if (!Number.isFinite(number)) found.faults[path] = ['is too large'];
  else if (number >= 1e13 && !NUMBER_FIELDS.has(path) && holdsCard(BigInt(Math.trunc(number)).toString()))
    found.card_paths.push(path);
}

/** @returns why PostgreSQL could not keep the text as it is, or null */
export function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain NUL characters';
  if (!text.isWellFormed()) return 'must be well-formed Unicode (it has half a surrogate pair)';
  return null;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Field names are compared without case, dashes and camel humps: cardNumber, Card-Number and CARD_NUMBER are one. */
function normal(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** A field name in an error must not carry what it complains of. */
function safe(key: string): string {
  return holdsCard(key) ? '[redacted]' : key.slice(0, 64);
}

function topOf(path: string): string {
  return path.split('.')[0] || 'body';
}
