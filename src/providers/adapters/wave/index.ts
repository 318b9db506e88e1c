import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { readBalance } from './balance.ts';
import { collections, POLLS } from './collect.ts';
import { channelOf, COUNTRIES, CURRENCY, offersOf } from './channels.ts';
import { Client } from './client.ts';
import { payouts } from './payout.ts';
import { refunds } from './refund.ts';
import { verifyCallback } from './callback.ts';

const BASE_URL = 'https://api.wave.com';
/** Maximum lag of the payout search. Ten minutes is also the grace period of other providers. */
const GRACE_MS = 600_000;

const credentials = Type.Object({
  api_key: secret('API key of the business portal; it belongs to one wallet.'),
  country: Type.String({
    description: `Where the wallet is: ${COUNTRIES.join(', ')}.`,
    pattern: `^(?:${COUNTRIES.join('|')})$`,
  }),
  request_signing_secret: Type.Optional(secret('Secret of the key, if it requires signed requests.')),
  webhook_signing_secret: Type.Optional(secret('Secret of the webhook, where its strategy is the signing secret.')),
  webhook_shared_secret: Type.Optional(secret('Secret of the webhook, where its strategy is the shared secret.')),
  base_url: Type.Optional(Type.String({ description: "Instead of Wave's own address.", pattern: '^https?://' })),
});

/** Wave Business: checkout pages, payouts and refunds from one wallet. */
export const wave: Connector = { name: 'wave', title: 'Wave', credentials, connect, modeFault };

/** Returns the fault of a production key (`wave_sn_prod_…`) in our sandbox. Another address than Wave's is not checked. */
function modeFault({ environment, credentials }: Omit<ProviderAccount, 'id'>): string | null {
  const { base_url, api_key = '' } = credentials;
  if (base_url !== undefined || environment === 'live' || !/^wave_[a-z]{2}_prod_/.test(api_key)) return null;
  return "api_key is of Wave's live mode, but the account is in sandbox";
}

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { api_key = '', country = '', request_signing_secret: signing_secret = null } = account.credentials;
  const { webhook_signing_secret: signing = null, webhook_shared_secret: shared = null } = account.credentials;
  const base_url = (account.credentials.base_url ?? BASE_URL).replace(/\/+$/, '');
  const client = new Client({ base_url, api_key, signing_secret }, tools);
  const channel = channelOf(country);
  // The sandbox must not move real money.
  const offers = modeFault(account) === null ? offersOf(channel) : [];
  return {
    name: wave.name,
    account_id: account.id,
    capabilities: { idempotency: 'replays', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => offers,
    keyOf: uuidOf,
    ...collections(client, base_url, tools.clock),
    payouts: payouts(client, channel, CURRENCY, tools.clock),
    refunds: refunds(client),
    balance: () => readBalance(client),
    verifyCallback: (raw) => verifyCallback(raw, { signing, shared }, tools.clock),
  };
}
