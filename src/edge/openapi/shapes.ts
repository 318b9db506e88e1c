import { REASON_CODES } from '../../providers/adapters/reasons.ts';
import type { Schema } from './types.ts';

/** First fields of every response. */
const head = { code: { type: 'integer' }, status: { type: 'string' }, message: { type: 'string' } } satisfies Record<
  string,
  Schema
>;
const HEAD = Object.keys(head);

const error_code = { type: 'string' };
const hint: Schema = {
  type: 'string',
  description: 'What you can do, in one sentence, for common mistakes. For developers; never branch on it.',
};
const fieldErrors = {
  type: 'object',
  description: 'Rejected fields by dotted path, each with its messages.',
  minProperties: 1,
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
} satisfies Schema;

/** Returns the schema of an error with exactly these fields. */
function error(description: string, required: Record<string, Schema> = {}, optional: Record<string, Schema> = {}): Schema {
  return {
    type: 'object',
    description,
    required: [...HEAD, ...Object.keys(required)],
    properties: { ...head, ...required, ...optional, hint },
  };
}

const oneOfKinds = (kinds: Record<string, Record<string, Schema>>): Schema[] =>
  Object.entries(kinds).map(([kind, { hint, ...fields }]) => ({
    type: 'object',
    required: ['kind', ...Object.keys(fields)],
    properties: { kind: { const: kind, description: 'Action required of the payer.' }, ...fields, ...(hint ? { hint } : {}) },
  }));

const ussd: Schema = { type: 'string', description: 'USSD code to dial when no prompt appears.' };

/** Shapes that no route declares: errors, and shapes that are looser in a reply's filter than in reality. */
export const OWN_SHAPES: Record<string, Schema> = {
  Error: error('Branch on `code`, then on `error_code` where there is one; never on `message`.', {}, { error_code }),
  ValidationError: error('One or more fields were rejected; all are listed.', { errors: fieldErrors }, { error_code }),
  PaymentRefused: error('The payer was not charged.', {
    error_code: { enum: [...REASON_CODES, 'merchant_not_verified'], description: 'Reason; branch on it.' },
    payer_message: { type: 'string' },
  }),
  RateLimited: error(
    'Wait, then retry.',
    { retry_after: { type: 'integer', minimum: 0 }, retry_after_human: { type: 'string' } },
    { type: { enum: ['team', 'api_key', 'ip', 'endpoint'], description: 'Exceeded limit; absent for the payout limit.' } },
  ),
  Action: {
    description: 'Action required of the payer, by `kind`; null when the payer only has to wait.',
    oneOf: [
      ...oneOfKinds({
        confirm: { hint: ussd },
        otp: { hint: ussd },
        redirect: { url: { type: 'string', format: 'uri', description: 'URL to which to redirect the payer.' } },
        transfer: {
          instructions: {
            type: 'object',
            description: 'Account to which the payer transfers.',
            required: ['bank', 'account_number', 'reference'],
            properties: {
              bank: { type: 'string', description: 'Name of the bank.' },
              account_number: { type: 'string', description: 'Account to transfer to.' },
              reference: { type: 'string', description: 'Reference for the transfer.' },
            },
          },
        },
      }),
      { type: 'null' },
    ],
  },
  Split: {
    type: ['object', 'null'],
    description: "The platform's share of a payment; null: none.",
    required: ['type', 'value'],
    properties: {
      type: { enum: ['percentage', 'fixed'], description: 'Unit of `value`.' },
      value: { type: 'number', description: 'Percent, or major units.' },
    },
  },
  Settlement: {
    type: ['object', 'null'],
    description: 'Payout destination of the account. Not shown to public keys.',
    required: ['channel', 'account_number'],
    properties: { channel: { type: 'string' }, account_number: { type: 'string' } },
  },
  FailureReason: {
    description: 'Reason of a failed payment. Branch on it.',
    enum: [...REASON_CODES, null],
  },
};
