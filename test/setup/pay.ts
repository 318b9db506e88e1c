import assert from 'node:assert/strict';
import { type Answer, type Api, type CallOptions, until } from './api.ts';

export interface PayOptions extends CallOptions {
  amount?: number;
  currency?: string;
  channel?: string;
  /** Its last six digits decide the outcome. */
  phone?: string;
  bearer?: 'merchant' | 'customer';
  /** Fields of the payment besides. */
  fields?: Record<string, unknown>;
}

/** Creates a payment and charges it. @returns its id, and the answer to the charge */
export async function startPayment(api: Api, options: PayOptions = {}): Promise<{ id: string; answer: Answer }> {
  const {
    amount = 25_000,
    currency = 'XAF',
    channel = 'cm.mtn',
    phone = '650000000',
    bearer = 'merchant',
    fields = {},
    ...call
  } = options;
  const created = await api.call('POST', '/payments', {
    ...call,
    body: { amount, currency, phone: '+237650000000', bearer, ...fields },
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const id = created.body.transaction.id as string;
  const { 'x-sync': _, 'X-Sync': __, ...headers } = call.headers ?? {};
  return { id, answer: await api.call('POST', `/payments/${id}`, { ...call, headers, body: { channel, data: { phone } } }) };
}

/** The payment once its status is one of these. */
export async function paymentIn(api: Api, id: string, statuses: string[], options: CallOptions = {}) {
  const answer = await until(
    () => api.call('GET', `/payments/${id}`, options),
    ({ body }) => statuses.includes(body.transaction?.status),
  );
  return answer.body.transaction;
}

/** A payment that has succeeded. */
export async function paid(api: Api, options: PayOptions = {}): Promise<string> {
  const { id, answer } = await startPayment(api, options);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  await paymentIn(api, id, ['succeeded'], options.key === undefined ? {} : { key: options.key });
  return id;
}
