import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { readBalance } from './balance.ts';
import { verifyCallback } from './callback.ts';
import { offersOf } from './channels.ts';
import { Client, type Sender } from './client.ts';
import { collections, GRACE_MS, POLLS } from './collect.ts';
import { payouts } from './payout.ts';
import { refunds } from './refund.ts';

/** Address of both modes. The secret key selects the mode. */
const URL = 'https://api.flutterwave.com';

/** Flutterwave v3: cards on its own page, bank transfers, mobile money of about a dozen countries. */
export const flutterwave: Connector = {
  name: 'flutterwave',
  title: 'Flutterwave',
  refunds_to_number: true,
  credentials: Type.Object({
    secret_key: secret('Secret key of API v3: FLWSECK-… (FLWSECK_TEST-… in test mode).'),
    secret_hash: secret('Secret hash of the webhook, as set in the dashboard: a webhook without it is rejected.'),
    customer_email: Type.String({
      description: 'Flutterwave wants an e-mail address of every payer and may write to it: give it one of yours.',
      pattern: '^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$',
      maxLength: 200,
    }),
    sender_name: Type.Optional(
      Type.String({
        description: 'Who pays out, in full. With the two below, for M-Pesa payouts in Kenya.',
        minLength: 1,
        maxLength: 100,
      }),
    ),
    sender_country: Type.Optional(Type.String({ description: 'Country of the sender: KE.', pattern: '^[A-Z]{2}$' })),
    sender_phone: Type.Optional(
      Type.String({ description: 'Phone number of the sender, digits with the country code.', pattern: '^\\d{8,15}$' }),
    ),
    base_url: Type.Optional(Type.String({ description: "Instead of Flutterwave's own address.", pattern: '^https?://' })),
  }),
  modeFault,
  connect,
};

/** Returns the fault of a key of the other mode. Keys for another address than Flutterwave's are not checked: it has its own modes. */
function modeFault({ environment, credentials }: Omit<ProviderAccount, 'id'>): string | null {
  const { base_url, secret_key = '' } = credentials;
  const isTest = secret_key.startsWith('FLWSECK_TEST');
  if (base_url !== undefined || isTest === (environment === 'sandbox')) return null;
  return `secret_key is of Flutterwave's ${isTest ? 'test' : 'live'} mode, but the account is in ${environment}`;
}

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { base_url = URL, secret_key = '', secret_hash = '', customer_email = '' } = account.credentials;
  const client = new Client(
    { base_url: base_url.replace(/\/+$/, ''), secret_key, customer_email, sender: senderIn(account.credentials) },
    tools,
  );
  const paying = payouts(client, tools.clock);
  // Test money must not be recorded as real money, nor the sandbox move real money.
  const offers = modeFault(account) === null ? offersOf(paying.reaches) : [];
  return {
    name: flutterwave.name,
    account_id: account.id,
    // A repeated tx_ref is charged again.
    capabilities: { idempotency: 'none', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => offers,
    keyOf: uuidOf,
    ...collections(client, tools.clock),
    payouts: paying,
    refunds: refunds(client, tools.clock, paying),
    balance: () => readBalance(client),
    verifyCallback: (raw) => verifyCallback(raw, secret_hash),
  };
}

function senderIn({ sender_name, sender_country, sender_phone }: Record<string, string>): Sender | null {
  if (!sender_name || !sender_country || !sender_phone) return null;
  return { sender: sender_name, sender_country, mobile_number: sender_phone };
}
