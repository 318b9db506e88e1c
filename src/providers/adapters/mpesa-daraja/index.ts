import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Callback, Offer, PollPlan, Provider, RawCallback } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf, parsed, textOf } from '../wire/reply.ts';
import { Client } from './client.ts';
import { collecting } from './collect.ts';
import { isCheckoutId } from './map.ts';

const HOSTS = { live: 'https://api.safaricom.co.ke', sandbox: 'https://sandbox.safaricom.co.ke' } as const;
/** A prompt is open for about a minute. */
const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, longest_ms: 300_000 };
/** Never applies: without the CheckoutRequestID of the response a prompt cannot be queried, so nothing is "not found". */
const GRACE_MS = 600_000;

const secret = (description: string) => Type.String({ description, pattern: '^[\\x21-\\x7e]{1,200}$' });
const number = (description: string) => Type.String({ description, pattern: '^\\d{5,10}$' });

/**
 * M-Pesa of Safaricom in Kenya, direct: prompts to collect. Its payouts and reversals are not supported, because their
 * outcome is reported only by unsigned callbacks and cannot be queried.
 */
export const mpesaDaraja: Connector = {
  name: 'mpesa-daraja',
  title: 'M-Pesa Daraja',
  credentials: Type.Object({
    consumer_key: secret('Consumer key of the app.'),
    consumer_secret: secret('Consumer secret of the app.'),
    shortcode: number('The business shortcode: of the paybill, or of the store of a till.'),
    passkey: secret('Passkey of Lipa na M-Pesa Online for the shortcode.'),
    till: Type.Optional(number('The till, where payers buy goods; without it the shortcode is a paybill.')),
    base_url: Type.Optional(Type.String({ description: "Instead of Safaricom's own address.", pattern: '^https?://' })),
  }),
  connect,
};

const OFFERS: readonly Offer[] = [
  // Whole shillings. The channel's own limits apply.
  { channel: 'ke.mpesa', currency: 'KES', operations: ['collect'], min_minor: null, max_minor: null, step_minor: 100n },
];

function connect({ id, environment, credentials }: ProviderAccount, tools: Tools): Provider {
  const { consumer_key = '', consumer_secret = '', shortcode = '', passkey = '', till = null } = credentials;
  const base_url = (credentials.base_url ?? HOSTS[environment]).replace(/\/+$/, '');
  const client = new Client({ base_url, consumer_key, consumer_secret, shortcode, passkey }, tools);
  return {
    name: mpesaDaraja.name,
    account_id: id,
    capabilities: { idempotency: 'none', readable_by: 'theirs', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => OFFERS,
    keyOf,
    ...collecting(client, { shortcode, till }, POLLS, tools.clock),
    verifyCallback: readCallback,
    acknowledgement: { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}', content_type: 'application/json' },
  };
}

/** Returns the account reference shown on the payer's prompt and statement: at most twelve letters and digits. */
function keyOf(id: string): string {
  const bytes = createHash('sha256').update(id).digest();
  return [...bytes.subarray(0, 12)].map((byte) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(byte % 32)).join('');
}

/**
 * Parses a callback. Nothing is signed, so it only triggers a status read. The status query returns no amount, so the
 * amount of the callback is kept for comparison.
 */
function readCallback({ body }: RawCallback): Callback {
  const callback = fieldsOf(fieldsOf(fieldsOf(parsed(body.toString('utf8'))).Body).stkCallback);
  const value = textOf(callback.CheckoutRequestID);
  if (value === null || !isCheckoutId(value)) return { kind: 'hint', subject: null };
  const isPaid = String(callback.ResultCode) === '0';
  return { kind: 'hint', subject: { by: 'provider_ref', value, ...(isPaid ? { paid_minor: amountIn(callback) } : {}) } };
}

function amountIn({ CallbackMetadata }: Record<string, unknown>): bigint | null {
  const item = listOf(fieldsOf(CallbackMetadata).Item).find((one) => fieldsOf(one).Name === 'Amount');
  return minorOf(fieldsOf(item).Value);
}
