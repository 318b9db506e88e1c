import type { SendOptions } from '../../src/kit/fetch.ts';
import type { Collection, Provider } from '../../src/providers/adapters/contract.ts';
import { orangeMoneyCameroon } from '../../src/providers/adapters/orange-money/cameroon/index.ts';
import { orangeMoney } from '../../src/providers/adapters/orange-money/index.ts';
import { type Answering, answered, collectionFor, stubOf } from './wire-stub.ts';

export const WEB_CREDENTIALS: Record<string, string> = {
  client_id: 'client',
  client_secret: 'secret',
  merchant_key: 'merchant',
  country: 'cm',
};

export const CM_CREDENTIALS: Record<string, string> = {
  consumer_key: 'consumer',
  consumer_secret: 'secret',
  channel_user: 'user',
  channel_password: 'password',
  channel_msisdn: '691000001',
  channel_pin: '73190462',
};

interface Stub {
  provider: Provider;
  /** What was sent, tokens aside. */
  calls: SendOptions[];
  /** Requests for a token. */
  mints: SendOptions[];
}

/** Tokens are granted; everything else is answered by the function. */
function tokened(make: (answer: Answering) => { provider: Provider }, path: string, answer: Answering): Stub {
  const [calls, mints]: SendOptions[][] = [[], []];
  const { provider } = make((request) => {
    const isMint = request.url.endsWith(path);
    (isMint ? mints : calls)?.push(request);
    return isMint ? answered(200, { token_type: 'Bearer', access_token: 'token-1', expires_in: '7776000' }) : answer(request);
  });
  return { provider, calls: calls ?? [], mints: mints ?? [] };
}

export function webStub(answer: Answering, credentials = WEB_CREDENTIALS, now?: () => number): Stub {
  return tokened((all) => stubOf(orangeMoney, credentials, all, now), '/oauth/v3/token', answer);
}

export function cameroonStub(answer: Answering, now?: () => number): Stub {
  return tokened((all) => stubOf(orangeMoneyCameroon, CM_CREDENTIALS, all, now), '/token', answer);
}

export const PAGE = 'https://webpayment.orange-money.com/payment/pay_token/v1abc';
export const LINK = { status: 201, message: 'OK', pay_token: 'v1abc', payment_url: PAGE, notif_token: 'n1' };

/** An attempt on Orange of Cameroon; `handle` as `prepare` gives it. */
export function onOrange(provider: Provider, changes: Partial<Collection> = {}): Collection {
  const channel = { id: 'cm.orange', kind: 'mobile_money', country: 'CM' } as const;
  return collectionFor(provider, { channel, payer: '+237691000002', ...changes });
}

export const WEB_HANDLE = JSON.stringify({ pay_token: 'v1abc', payment_url: PAGE });
export const CM_HANDLE = 'MP1A2B';
