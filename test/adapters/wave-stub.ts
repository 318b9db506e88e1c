import type { SendOptions } from '../../src/kit/fetch.ts';
import type { Collection, Payout, Provider, Refund } from '../../src/providers/adapters/contract.ts';
import { wave } from '../../src/providers/adapters/wave/index.ts';
import { type Answering, collectionFor, payoutFor, refundFor, stubOf } from './wire-stub.ts';

export const CREDENTIALS: Record<string, string> = { api_key: 'wave_sn_prod_key', country: 'sn' };

export const PAGE = 'https://pay.wave.com/c/cos-1';
export const HANDLE = JSON.stringify({ id: 'cos-1', wave_launch_url: PAGE });
export const SESSION = {
  ...{ id: 'cos-1', amount: '25000', currency: 'XOF', checkout_status: 'open', payment_status: 'processing' },
  ...{ last_payment_error: null, transaction_id: null, wave_launch_url: PAGE },
};

export function waveStub(
  answer: Answering,
  changes: Record<string, string> = {},
  now?: () => number,
): { provider: Provider; calls: SendOptions[] } {
  return stubOf(wave, { ...CREDENTIALS, ...changes }, answer, now);
}

const SENEGAL = {
  currency: 'XOF',
  channel: { id: 'sn.wave', kind: 'mobile_money', country: 'SN' },
} as const;

export function onWave(provider: Provider, changes: Partial<Collection> = {}): Collection {
  return collectionFor(provider, { ...SENEGAL, payer: '+221771000000', ...changes });
}

export function payoutOnWave(provider: Provider, changes: Partial<Payout> = {}): Payout {
  const recipient = { name: ' Awa N. ', phone: '+221771000000', account_number: null, bank_code: null };
  return payoutFor(provider, { ...SENEGAL, recipient, ...changes });
}

export function refundOnWave(provider: Provider): Refund {
  return refundFor(provider, { currency: 'XOF', amount_minor: 25_000_00n, collection: onWave(provider, { handle: HANDLE }) });
}
