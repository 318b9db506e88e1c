import type { SendOptions, SendResult } from '../../src/kit/fetch.ts';
import { createLog } from '../../src/kit/log.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import type { Collection, Payout, Provider, Refund, Submission } from '../../src/providers/adapters/contract.ts';

/** What stands in for a provider where a simulator would be too polite. */
export type Answering = (request: SendOptions) => SendResult | Promise<SendResult>;

/** The exact answer of a provider: text as it is, anything else as JSON. */
export function answered(status: number, body: unknown): SendResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: {}, body: text, truncated: false, duration_ms: 1 };
}

/** No answer: `sent` tells whether the request may have arrived. */
export function failure(sent: boolean): SendResult {
  return { kind: 'failed', error: 'timeout', sent, detail: 'too late', duration_ms: 1 };
}

/** An account whose calls are answered by a function, and the calls it made. */
export function stubOf(
  connector: Connector,
  credentials: Record<string, string>,
  answer: Answering,
  now: () => number = Date.now,
): { provider: Provider; calls: SendOptions[] } {
  const calls: SendOptions[] = [];
  const provider = connector.connect(
    { id: 'pa_test', environment: 'live', credentials },
    {
      send: async (request) => {
        calls.push(request);
        return answer(request);
      },
      clock: { now },
      log: createLog({ level: 'silent', format: 'json' }),
    },
  );
  return { provider, calls };
}

const ATTEMPT = 'att_01k3tz9f7a0123456789abcdef';
const TRANSFER = 'po_01k3tz9f7a0123456789abcdef';
const REFUND = 'rfd_01k3tz9f7a0123456789abcdef';

export function collectionFor(provider: Provider, changes: Partial<Collection> = {}): Collection {
  return {
    attempt_id: ATTEMPT,
    provider_key: provider.keyOf(ATTEMPT),
    provider_ref: null,
    handle: null,
    amount_minor: 25_000_00n,
    currency: 'XAF',
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    payer: '+237653000000',
    description: "Facture n° 42 — l'été",
    return_url: 'https://pay.example/pay/token/card',
    callback_url: `https://pay.example/_callbacks/pa_test/${ATTEMPT}/mac`,
    submitted_at: null,
    expires_at: Date.now() + 3_600_000,
    ...changes,
  };
}

export function payoutFor(provider: Provider, changes: Partial<Payout> = {}): Payout {
  return {
    transfer_id: TRANSFER,
    provider_key: provider.keyOf(TRANSFER),
    provider_ref: null,
    amount_minor: 25_000_00n,
    currency: 'XAF',
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    recipient: { name: 'Awa N.', phone: '+237653000000', account_number: null, bank_code: null },
    description: 'Salary',
    callback_url: `https://pay.example/_callbacks/pa_test/${TRANSFER}/mac`,
    submitted_at: null,
    ...changes,
  };
}

export function refundFor(provider: Provider, changes: Partial<Refund> = {}): Refund {
  return {
    refund_id: REFUND,
    provider_key: provider.keyOf(`${REFUND}-0`),
    provider_ref: null,
    amount_minor: 10_000_00n,
    currency: 'XAF',
    collection: collectionFor(provider),
    callback_url: `https://pay.example/_callbacks/pa_test/${REFUND}/mac`,
    submitted_at: null,
    ...changes,
  };
}

/** As the core does: what has to be opened first is opened, and kept. */
export async function taken(provider: Provider, changes: Partial<Collection> = {}): Promise<Submission> {
  const collection = collectionFor(provider, changes);
  const prepared = await provider.prepare?.(collection);
  if (prepared && prepared.kind !== 'ready') return prepared;
  return provider.submit({ ...collection, handle: prepared?.handle ?? null });
}

/** What was said, short enough for a table: `failed(wrong_pin)`. */
export function short(said: { kind: string; reason?: string | null } | undefined): string {
  return said === undefined ? 'nothing' : 'reason' in said ? `${said.kind}(${said.reason})` : said.kind;
}

export function bodyOf(call: SendOptions | undefined): Record<string, unknown> {
  return JSON.parse(String(call?.body));
}
