import { inspectBody } from '../../tenants/api/body.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import { decimalsOf, isMovable, type Minor } from '../../kit/money.ts';
import { openObject } from '../../kit/schema.ts';
import { typedAmount } from '../../kit/typed-amount.ts';
import { leastOf } from '../../providers/reference/channels.ts';
import { checkLargest } from '../../providers/reference/largest.ts';
import { Type } from 'typebox';
import type { LinkTexts } from '../pages/texts/link.ts';
import type { Payer } from './pay.ts';
import { internationalNumbers } from './phone.ts';
import { type LinkRow, PAYER_FIELDS, type PayerField } from './schema.ts';

/** What the payer typed, to be shown again. */
export type Typed = Partial<Record<PayerField | 'amount', string>>;

/** Validation errors in the payer's language. */
export type FieldErrors = Typed & {
  /** Shown above the form: an error that belongs to no single field. */
  alert?: string;
};

const fields = validatorOf(
  openObject({
    name: Type.Optional(Type.String({ maxLength: 255, pattern: '\\S' })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
    phone: Type.Optional(Type.String({ maxLength: 32 })),
  }),
  undefined,
);

/** Returns the fields of the form as typed. Ignores values that are not text and fields that the link does not collect. */
export function typedIn(link: LinkRow, body: unknown): Typed {
  const sent = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const asked = link.amount_minor === null ? ['amount', ...link.collect] : link.collect;
  const texts = asked.flatMap((name) => (typeof sent[name] === 'string' ? [[name, sent[name].trim()]] : []));
  return Object.fromEntries(texts);
}

/**
 * Validates the form.
 * @returns the payer, with the phone number in international form, and the amount; or the validation errors
 */
export function readPayer(link: LinkRow, typed: Typed, texts: LinkTexts): Payer | { fieldErrors: FieldErrors } {
  const fieldErrors: FieldErrors = {};
  const { amount, ...payer } = typed;
  const amount_minor = link.amount_minor ?? typedAmount(amount ?? '', link.currency);
  const objection = amount_minor === null ? 'amount' : objectionTo(link, amount_minor);
  if (objection) fieldErrors.amount = texts.errors[objection];
  const { cards, faults } = inspectBody(payer);
  const wrong = { ...fields.body(payer), ...faults };
  for (const name of PAYER_FIELDS) {
    if (!link.collect.includes(name)) continue;
    if (!payer[name] || wrong[name] || cards[name]) fieldErrors[name] = texts.errors[name];
  }
  const phones = payer.phone ? internationalNumbers(payer.phone, link.currency) : [];
  if (payer.phone && phones.length !== 1) fieldErrors.phone ??= texts.errors[phones.length > 1 ? 'phoneCountry' : 'phone'];
  if (amount_minor === null || Object.keys(fieldErrors).length > 0) return { fieldErrors };
  return { ...payer, ...(phones[0] === undefined ? {} : { phone: phones[0] }), amount_minor };
}

function objectionTo(link: LinkRow, amount: Minor): 'amount' | 'decimals' | 'ceiling' | null {
  if (link.amount_minor !== null) return null;
  if (!isMovable(amount, link.currency)) return decimalsOf(link.currency) === 0 ? 'decimals' : 'amount';
  if (checkLargest(link.currency, amount) !== null) return 'ceiling';
  const { max_amount_minor: max } = link;
  return amount >= minimumFor(link) && (max === null || amount <= max) ? null : 'amount';
}

/** Returns the minimum amount: the merchant's, but never below the minimum of every channel. */
export function minimumFor({ min_amount_minor: min, currency }: LinkRow): Minor {
  const floor = leastOf(currency);
  return min !== null && min > floor ? min : floor;
}
