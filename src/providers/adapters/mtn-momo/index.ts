import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Capabilities, Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { readBalance } from './balance.ts';
import { verifyCallback } from './callback.ts';
import { type Market, MARKETS, offersOf } from './channels.ts';
import { type Access, Client, type Product } from './client.ts';
import { collections } from './collect.ts';
import { lookUp } from './lookup.ts';
import { Orders, POLLS } from './orders.ts';
import { payouts } from './payout.ts';
import { refunds } from './refund.ts';

const SANDBOX_URL = 'https://sandbox.momodeveloper.mtn.com';
const LIVE_URL = 'https://proxy.momoapi.mtn.com';

const credentials = Type.Object(
  {
    api_user: secret('UUID of the API user, of the partner portal or of POST /v1_0/apiuser.'),
    api_key: secret('Key of the API user.'),
    collection_subscription_key: Type.Optional(
      secret('Subscription key of the collection product; without it nothing is collected.'),
    ),
    disbursement_subscription_key: Type.Optional(
      secret('Subscription key of the disbursement product; without it nothing is paid out or refunded.'),
    ),
    disbursement_api_user: Type.Optional(secret('API user of the disbursement product, where it has one of its own.')),
    disbursement_api_key: Type.Optional(secret('Key of that API user.')),
    target_environment: Type.String({
      description: `The market, which decides channels and currency: ${Object.keys(MARKETS).join(', ')}.`,
      pattern: `^(?:${Object.keys(MARKETS).join('|')})$`,
    }),
    base_url: Type.Optional(Type.String({ description: "Instead of MTN's own address.", pattern: '^https?://' })),
  },
  // At least one of the two products is required.
  { anyOf: [{ required: ['collection_subscription_key'] }, { required: ['disbursement_subscription_key'] }] },
);

/** MTN Mobile Money, direct: one API user serves one market. */
export const mtnMomo: Connector = { name: 'mtn-momo', title: 'MTN MoMo', credentials, connect, modeFault };

/** Returns the fault of a target environment of the other mode. Another address than MTN's is not checked: it has its own modes. */
function modeFault({ environment, credentials }: Omit<ProviderAccount, 'id'>): string | null {
  const { base_url, target_environment } = credentials;
  const isTest = target_environment === 'sandbox';
  if (base_url !== undefined || isTest === (environment === 'sandbox')) return null;
  return `target_environment ${target_environment} is of MTN's ${isTest ? 'test' : 'live'} mode, but the account is in ${environment}`;
}

const CAPABILITIES: Capabilities = {
  // A repeated X-Reference-Id is rejected with 409.
  idempotency: 'conflicts',
  readable_by: 'ours',
  polls: POLLS,
  // A 404 has been seen right after a 202. The common advice is to wait a minute.
  not_found_grace_ms: 600_000,
};

const NOWHERE: Market = { channels: [], currency: '' };

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { target_environment = '', base_url } = account.credentials;
  const market = MARKETS[target_environment] ?? NOWHERE;
  const access = accessOf(account.credentials);
  const client = new Client(
    {
      base_url: (base_url ?? (target_environment === 'sandbox' ? SANDBOX_URL : LIVE_URL)).replace(/\/+$/, ''),
      target_environment,
      access,
    },
    tools,
  );
  const orders = new Orders(client, tools);
  const products = Object.keys(access) as Product[];
  // Test money must not be recorded as real money, nor the sandbox move real money.
  const offers = modeFault(account) === null ? offersOf(market, products) : [];
  return {
    name: mtnMomo.name,
    account_id: account.id,
    capabilities: CAPABILITIES,
    offers: () => offers,
    keyOf: uuidOf,
    ...collections(orders, market, tools.clock),
    ...(access.disbursement ? { payouts: payouts(orders, market, tools.clock), refunds: refunds(orders, tools.clock) } : {}),
    balance: () => readBalance(client, products),
    lookup: (_channelId, number) => lookUp(client, products[0] ?? 'collection', number),
    verifyCallback: (raw) => verifyCallback(raw, account.environment),
  };
}

/** Returns the credentials of each product that has a subscription key. */
function accessOf(given: Record<string, string>): Partial<Record<Product, Access>> {
  const { api_user = '', api_key = '', collection_subscription_key, disbursement_subscription_key } = given;
  const { disbursement_api_user = api_user, disbursement_api_key = api_key } = given;
  return {
    ...(collection_subscription_key ? { collection: { api_user, api_key, subscription_key: collection_subscription_key } } : {}),
    ...(disbursement_subscription_key
      ? {
          disbursement: {
            api_user: disbursement_api_user,
            api_key: disbursement_api_key,
            subscription_key: disbursement_subscription_key,
          },
        }
      : {}),
  };
}
