import { Type } from 'typebox';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { secret } from '../wire/credentials.ts';
import { collections } from './collect.ts';
import { Client, GRACE_MS, orderIdOf, POLLS } from './client.ts';
import { COUNTRIES, offersOf, SANDBOX } from './channels.ts';
import { verifyCallback } from './callback.ts';

const BASE_URL = 'https://api.orange.com';

const credentials = Type.Object({
  client_id: secret('Client ID of the application at developer.orange.com.'),
  client_secret: secret('Client secret of the application.'),
  merchant_key: secret('Merchant key of the Web Payment contract.'),
  country: Type.String({
    description: `Where the contract is: ${COUNTRIES.join(', ')} (dev: the sandbox of Orange, for our sandbox only).`,
    pattern: `^(?:${COUNTRIES.join('|')})$`,
  }),
  base_url: Type.Optional(Type.String({ description: "Instead of Orange's own address.", pattern: '^https?://' })),
});

/** Orange Money Web Payment: the payer pays on Orange's page. Payouts and refunds are not supported. */
export const orangeMoney: Connector = {
  ...{ name: 'orange-money', title: 'Orange Money Web Payment', credentials, connect },
  modeFault,
};

/** Returns the fault of a country of the other mode. Another address than Orange's is not checked: it has its own modes. */
function modeFault({ environment, credentials }: Omit<ProviderAccount, 'id'>): string | null {
  const { base_url, country } = credentials;
  const isTest = country === SANDBOX;
  if ((base_url !== undefined && !isTest) || isTest === (environment === 'sandbox')) return null;
  return `country ${country} is of Orange's ${isTest ? 'test' : 'live'} mode, but the account is in ${environment}`;
}

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { client_id = '', client_secret = '', merchant_key = '', country = '' } = account.credentials;
  const base_url = (account.credentials.base_url ?? BASE_URL).replace(/\/+$/, '');
  const client = new Client({ base_url, token_path: '/oauth/v3/token', client_id, client_secret }, tools);
  // Test money must not be recorded as real money, nor the sandbox move real money.
  const offers = modeFault(account) === null ? offersOf(country) : [];
  return {
    name: orangeMoney.name,
    account_id: account.id,
    // A second request for the same page is rejected. A stored page is returned again without a request.
    capabilities: { idempotency: 'conflicts', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    // Neither the request for a page nor the status of a payment contains the payer (Orange's documentation of Web Payment).
    provesPayer: () => false,
    offers: () => offers,
    keyOf: orderIdOf,
    ...collections(client, { base_url, merchant_key, country }, tools),
    verifyCallback: (raw) => verifyCallback(raw, account.environment),
  };
}
