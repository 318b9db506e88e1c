import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Offer, Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { readBalance } from './account.ts';
import { checkout, POLLS } from './checkout.ts';
import { Client } from './client.ts';
import { payouts } from './payouts.ts';
import { refunds } from './refunds.ts';
import { judgeWebhook } from './webhook.ts';

const BASE_URL = 'https://api.wave.com';
/** Countries with a Wave wallet for which we have a channel. All use one currency. */
const COUNTRIES = ['sn', 'ci', 'ml', 'bf'] as const;
const CURRENCY = 'XOF';
/** Maximum lag of the payout search. Ten minutes is also the grace period of other providers. */
const GRACE_MS = 600_000;

const credentials = Type.Object({
  api_key: secret('API key of the business portal; it belongs to one wallet.'),
  country: Type.String({
    description: `Where the wallet is: ${COUNTRIES.join(', ')}.`,
    pattern: `^(?:${COUNTRIES.join('|')})$`,
  }),
  request_signing_secret: Type.Optional(secret('Secret of the key, where it was made to ask for signed requests.')),
  webhook_signing_secret: Type.Optional(secret('Secret of the webhook, where its strategy is the signing secret.')),
  webhook_shared_secret: Type.Optional(secret('Secret of the webhook, where its strategy is the shared secret.')),
  base_url: Type.Optional(Type.String({ description: "Instead of Wave's own address.", pattern: '^https?://' })),
});

/** Wave Business: checkout pages, payouts and refunds from one wallet. */
export const wave: Connector = { name: 'wave', title: 'Wave', credentials, connect };

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { api_key = '', country = '', request_signing_secret: signing_secret = null } = account.credentials;
  const { webhook_signing_secret: signing = null, webhook_shared_secret: shared = null } = account.credentials;
  const base_url = (account.credentials.base_url ?? BASE_URL).replace(/\/+$/, '');
  const client = new Client({ base_url, api_key, signing_secret }, tools);
  const channel = `${country}.wave`;
  const offers: Offer[] = [
    {
      ...{ channel, currency: CURRENCY, operations: ['collect', 'payout'] },
      ...{ min_minor: null, max_minor: null, step_minor: 100n },
    },
  ];
  return {
    name: wave.name,
    account_id: account.id,
    capabilities: { idempotency: 'replays', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => offers,
    keyOf: uuidOf,
    ...checkout(client, base_url, tools.clock),
    payouts: payouts(client, channel, CURRENCY, tools.clock),
    refunds: refunds(client),
    balance: () => readBalance(client),
    verifyCallback: (raw) => judgeWebhook(raw, { signing, shared }, tools.clock),
  };
}
