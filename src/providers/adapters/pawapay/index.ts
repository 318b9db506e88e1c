import { createPrivateKey } from 'node:crypto';
import { Type } from 'typebox';
import { uuidOf } from '../../../kit/ids.ts';
import type { Connector, ProviderAccount, Tools } from '../connector.ts';
import type { Provider } from '../contract.ts';
import { type Account, Configuration } from './account.ts';
import { readBalance } from './balance.ts';
import { verifyCallback } from './callback.ts';
import { Client, type Settings } from './client.ts';
import { POLLS, readDeposit, sendDeposit, submitDeposit } from './collect.ts';
import { lookUp } from './lookup.ts';
import { payouts } from './payout.ts';
import { PublicKeys } from './keys.ts';
import { refunds } from './refund.ts';
import { statement } from './statement.ts';

const NAME = 'pawapay';
const HOSTS = { live: 'https://api.pawapay.io', sandbox: 'https://api.sandbox.pawapay.io' } as const;
/**
 * An operation that pawaPay does not find after fifteen minutes was never received (Implementation, handling network
 * errors).
 */
const GRACE_MS = 900_000;

/** pawaPay, Merchant API v2: mobile money of about twenty countries through one API. */
export const pawapay: Connector = {
  name: NAME,
  title: 'pawaPay',
  credentials: Type.Object({
    api_token: Type.String({ minLength: 1, pattern: '^[\\x21-\\x7e]+$', description: 'API token from the dashboard.' }),
    signing_key: Type.Optional(
      Type.String({ pattern: 'PRIVATE KEY', description: 'Private key in PEM, where the account wants signed requests.' }),
    ),
    signing_key_id: Type.Optional(
      Type.String({ pattern: '^[\\w:.-]+$', description: 'What the dashboard calls its public half.' }),
    ),
    base_url: Type.Optional(Type.String({ pattern: '^https?://', description: 'Instead of pawaPay’s own address.' })),
  }),
  connect,
  statement,
};

function connect({ id, environment, credentials }: ProviderAccount, { send, clock }: Tools): Provider {
  const settings: Settings = {
    base_url: (credentials.base_url ?? HOSTS[environment]).replace(/\/+$/, ''),
    api_token: credentials.api_token ?? '',
    signing: signingOf(credentials),
  };
  const client = new Client(settings, send, clock);
  const account: Account = {
    ...{ client, clock, base_url: settings.base_url, grace_ms: GRACE_MS },
    configuration: new Configuration(client, clock),
    public_keys: new PublicKeys(client, clock),
  };
  return {
    name: NAME,
    account_id: id,
    capabilities: { idempotency: 'conflicts', readable_by: 'ours', polls: POLLS, not_found_grace_ms: GRACE_MS, code_first: true },
    offers: () => account.configuration.offers(),
    isClosed: (...of) => account.configuration.isClosed(...of),
    keyOf: uuidOf,
    submit: (collection) => submitDeposit(account, collection),
    continue: async (collection, input) =>
      input.kind === 'otp'
        ? sendDeposit(account, collection, input.otp)
        : { kind: 'refused', reason: 'authentication_failed', message: 'pawaPay takes a code here' },
    read: (collection) => readDeposit(account, collection),
    payouts: payouts(account),
    refunds: refunds(account),
    balance: () => readBalance(account),
    lookup: (channelId, number) => lookUp(account, channelId, number),
    verifyCallback: (raw) => verifyCallback(account, raw),
  };
}

/**
 * Returns the signing key of the account, or null.
 * @throws when the key cannot be parsed; the caller reports the account as unusable
 */
function signingOf({ signing_key, signing_key_id = '' }: Record<string, string>): Settings['signing'] {
  return signing_key ? { key: createPrivateKey(signing_key), key_id: signing_key_id } : null;
}
