import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { secret, withoutTestMode } from '../wire/credentials.ts';
import { readBalance } from './balance.ts';
import { verifyCallback } from './callback.ts';
import { CURRENCIES, offersIn, serving } from './channels.ts';
import { Client } from './client.ts';
import { collections, GRACE_MS, POLLS } from './collect.ts';
import { payouts } from './payout.ts';

const CHECKOUT_URL = 'https://api-checkout.cinetpay.com';
const TRANSFER_URL = 'https://client.cinetpay.com';

const modeFault = withoutTestMode('CinetPay');

/** CinetPay, Checkout v2 and Transfer v1: mobile money of French-speaking Africa, on CinetPay's page. */
export const cinetpay: Connector = {
  name: 'cinetpay',
  title: 'CinetPay',
  credentials: Type.Object({
    apikey: secret('API key of the account.'),
    site_id: secret('Number of the site.'),
    secret_key: secret('Secret key of the site: a payment notification without its token is rejected.'),
    currency: Type.String({
      description: `What the site moves, which decides its channels: ${CURRENCIES.join(', ')}.`,
      pattern: `^(?:${CURRENCIES.join('|')})$`,
    }),
    transfer_password: Type.Optional(secret('Password of the transfer API; without it nothing is paid out.')),
    contact_email: Type.Optional(
      Type.String({
        description: 'CinetPay wants an e-mail address of every recipient: give it one of yours; without it nothing is paid out.',
        pattern: '^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$',
        maxLength: 200,
      }),
    ),
    base_url: Type.Optional(Type.String({ description: "Instead of CinetPay's own addresses.", pattern: '^https?://' })),
  }),
  connect,
  modeFault,
};

function connect(account: ProviderAccount, tools: Tools): Provider {
  const {
    apikey = '',
    site_id = '',
    secret_key = '',
    currency = '',
    transfer_password = '',
    contact_email = '',
  } = account.credentials;
  const base_url = account.credentials.base_url?.replace(/\/+$/, '');
  const [checkout_url, transfer_url] = [base_url ?? CHECKOUT_URL, base_url ?? TRANSFER_URL];
  const client = new Client({ checkout_url, transfer_url, apikey, site_id, password: transfer_password }, tools);
  const hasTransfers = transfer_password !== '';
  const serve = serving(currency);
  // The sandbox must not move real money.
  const offers = modeFault(account) === null ? offersIn(currency, hasTransfers && contact_email !== '') : [];
  return {
    name: cinetpay.name,
    account_id: account.id,
    // The effect of a reused transaction_id is not documented.
    capabilities: { idempotency: 'none', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => offers,
    // `lock_phone_number` is documented for Mobile Money. With Wave, the payer pays in the app, from the account that is signed in there.
    provesPayer: (channel) => !channel.endsWith('.wave'),
    keyOf,
    ...collections(client, serve, checkout_url, tools.clock),
    ...(hasTransfers
      ? { payouts: payouts(client, serve, contact_email, tools.clock), balance: () => readBalance(client, currency) }
      : {}),
    verifyCallback: (raw) => verifyCallback(raw, secret_key),
  };
}

/** Returns the transaction id. The documentation allows no special characters. */
function keyOf(id: string): string {
  return uuidOf(id).replaceAll('-', '');
}
