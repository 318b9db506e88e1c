import { REASON_CODES } from '../../providers/adapters/reasons.ts';
import type { Schema } from './types.ts';

/** First fields of every response. */
const head = { code: { type: 'integer' }, status: { type: 'string' }, message: { type: 'string' } } satisfies Record<
  string,
  Schema
>;
const HEAD = Object.keys(head);

const error_code = { type: 'string' };
const fieldErrors = {
  type: 'object',
  description: 'Each rejected field by its dotted path, with every message about it.',
  minProperties: 1,
  additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
} satisfies Schema;

/** Returns the schema of an error with exactly these fields. */
function error(description: string, required: Record<string, Schema> = {}, optional: Record<string, Schema> = {}): Schema {
  return {
    type: 'object',
    description,
    required: [...HEAD, ...Object.keys(required)],
    properties: { ...head, ...required, ...optional },
  };
}

const oneOfKinds = (kinds: Record<string, Record<string, Schema>>): Schema[] =>
  Object.entries(kinds).map(([kind, { hint, ...fields }]) => ({
    type: 'object',
    required: ['kind', ...Object.keys(fields)],
    properties: { kind: { const: kind, description: 'What the payer has to do.' }, ...fields, ...(hint ? { hint } : {}) },
  }));

const hint: Schema = { type: 'string', description: 'What the payer can dial when no prompt shows.' };

/** Shapes that no route declares: errors, and shapes that are looser in a reply's filter than in reality. */
export const OWN_SHAPES: Record<string, Schema> = {
  Error: error('Branch on `code`, then on `error_code` where there is one; never on `message`.', {}, { error_code }),
  ValidationError: error('One or more fields were rejected, all named at once.', { errors: fieldErrors }, { error_code }),
  PaymentRefused: error("The payer's money did not move.", {
    error_code: { enum: [...REASON_CODES, 'merchant_not_verified'], description: 'Why: branch on it.' },
    payer_message: { type: 'string' },
  }),
  RateLimited: error(
    'Wait, then try again.',
    { retry_after: { type: 'integer', minimum: 0 }, retry_after_human: { type: 'string' } },
    { type: { enum: ['team', 'api_key', 'ip', 'endpoint'], description: 'Which limit; missing for that of payouts.' } },
  ),
  Action: {
    description: 'What the payer has to do now, by `kind`; null when there is nothing to do but wait.',
    oneOf: [
      ...oneOfKinds({
        confirm: { hint },
        otp: { hint },
        redirect: { url: { type: 'string', format: 'uri', description: 'Where to send the payer.' } },
        transfer: {
          instructions: {
            type: 'object',
            description: 'Where the payer has to transfer to.',
            required: ['bank', 'account_number', 'reference'],
            properties: {
              bank: { type: 'string', description: 'Name of the bank.' },
              account_number: { type: 'string', description: 'Account to transfer to.' },
              reference: { type: 'string', description: 'To be written on the transfer.' },
            },
          },
        },
      }),
      { type: 'null' },
    ],
  },
  Split: {
    type: ['object', 'null'],
    description: 'What the platform keeps of a payment; null: nothing.',
    required: ['type', 'value'],
    properties: {
      type: { enum: ['percentage', 'fixed'], description: 'How `value` is meant.' },
      value: { type: 'number', description: 'Percent, or major units.' },
    },
  },
  Settlement: {
    type: ['object', 'null'],
    description: "Where the account's money is paid out to. Not shown to public keys.",
    required: ['channel', 'account_number'],
    properties: { channel: { type: 'string' }, account_number: { type: 'string' } },
  },
  FailureReason: {
    description: 'Why a payment failed. Branch on it.',
    enum: [...REASON_CODES, null],
  },
};
