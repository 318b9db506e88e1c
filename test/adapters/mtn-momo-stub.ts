import type { SendOptions } from '../../src/kit/fetch.ts';
import type { Collection, Provider } from '../../src/providers/adapters/contract.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { type Answering, answered, collectionFor, stubOf } from './wire-stub.ts';

const TOKEN = answered(200, { access_token: 'token-1', token_type: 'access_token', expires_in: 3600 });

export const CREDENTIALS: Record<string, string> = {
  api_user: 'user',
  api_key: 'key',
  collection_subscription_key: 'collecting',
  disbursement_subscription_key: 'disbursing',
  target_environment: 'mtncameroon',
};

/** Returns an account whose calls are answered by a function; tokens are granted, and not among the calls, unless `tokens` is false. */
export function stubbed(
  answer: Answering,
  options: { credentials?: Record<string, string>; now?: () => number; tokens?: boolean } = {},
): { provider: Provider; calls: SendOptions[] } {
  const { credentials = CREDENTIALS, now, tokens = true } = options;
  const calls: SendOptions[] = [];
  const answering: Answering = (request) => {
    if (tokens && request.url.endsWith('/token/')) return TOKEN;
    calls.push(request);
    return answer(request);
  };
  return { provider: stubOf(mtnMomo, credentials, answering, now).provider, calls };
}

/** Returns a collection whose description MTN accepts as it is. */
export function collection(provider: Provider, changes: Partial<Collection> = {}): Collection {
  return collectionFor(provider, { description: 'Order 42', ...changes });
}
