import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { verifyCallback } from './callback.ts';
import { OFFERS } from './channels.ts';
import { Client } from './client.ts';
import { collections, POLLS } from './collect.ts';

const HOSTS = { live: 'https://api.safaricom.co.ke', sandbox: 'https://sandbox.safaricom.co.ke' } as const;
/** Never applies, because no prompt is ever "not found": without the CheckoutRequestID of the response it cannot be queried. */
const GRACE_MS = 600_000;

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
    ...collections(client, { shortcode, till }, tools.clock),
    verifyCallback,
    acknowledgement: { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}', content_type: 'application/json' },
  };
}

/** Returns the account reference shown on the payer's prompt and statement: at most twelve letters and digits. */
function keyOf(id: string): string {
  const bytes = createHash('sha256').update(id).digest();
  return [...bytes.subarray(0, 12)].map((byte) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt(byte % 32)).join('');
}
