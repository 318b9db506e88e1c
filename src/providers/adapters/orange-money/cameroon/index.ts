import { Type } from 'typebox';
import type { Connector, ProviderAccount, Tools } from '../../connector.ts';
import type { Provider } from '../../contract.ts';
import { secret, withoutTestMode } from '../../wire/credentials.ts';
import { Client, GRACE_MS, orderIdOf, POLLS } from '../client.ts';
import { verifyCallback } from '../callback.ts';
import { OFFERS } from './channels.ts';
import { collections } from './collect.ts';

const BASE_URL = 'https://api-s1.orange.cm';

const modeFault = withoutTestMode('Orange Money Cameroon');

const credentials = Type.Object({
  consumer_key: secret('Consumer key of the application.'),
  consumer_secret: secret('Consumer secret of the application.'),
  channel_user: secret('API user of the channel; goes into X-AUTH-TOKEN.'),
  channel_password: secret('Password of that API user.'),
  channel_msisdn: Type.String({ description: 'Number of the channel, nine digits.', pattern: '^6\\d{8}$' }),
  channel_pin: Type.String({ description: 'PIN of the channel.', pattern: '^\\d{4,8}$' }),
  base_url: Type.Optional(Type.String({ description: "Instead of Orange's own address.", pattern: '^https?://' })),
});

/**
 * Orange Money Cameroon, server to server: a prompt on the handset. Payouts require another contract and are not
 * supported.
 */
export const orangeMoneyCameroon: Connector = {
  ...{ name: 'orange-money-cm', title: 'Orange Money Cameroon (prompt)', credentials, connect },
  modeFault,
};

function connect(account: ProviderAccount, tools: Tools): Provider {
  const { consumer_key = '', consumer_secret = '', channel_user = '', channel_password = '' } = account.credentials;
  const { channel_msisdn = '', channel_pin = '', base_url = BASE_URL } = account.credentials;
  const client = new Client(
    {
      ...{ base_url: base_url.replace(/\/+$/, ''), token_path: '/token' },
      ...{ client_id: consumer_key, client_secret: consumer_secret },
      headers: { 'x-auth-token': Buffer.from(`${channel_user}:${channel_password}`).toString('base64') },
    },
    tools,
  );
  // The sandbox must not move real money.
  const offers = modeFault(account) === null ? OFFERS : [];
  return {
    name: orangeMoneyCameroon.name,
    account_id: account.id,
    // A pay token can be used only once.
    capabilities: { idempotency: 'conflicts', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS },
    offers: () => offers,
    keyOf: orderIdOf,
    ...collections(client, { msisdn: channel_msisdn, pin: channel_pin }, tools),
    verifyCallback: (raw) => verifyCallback(raw, account.environment),
  };
}
