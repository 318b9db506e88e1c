import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Send, SendOptions, SendResult } from '../../kit/fetch.ts';
import { newId } from '../../kit/ids.ts';
import type { Collection, Payout, Payouts, Provider, Refund, Refunds } from '../adapters/contract.ts';
import { present } from '../adapters/members.ts';
import { type KnownNumbers, redactedBody, redactedPath } from './redact.ts';
import type { NewExchange } from './schema.ts';

/** The team of a provider account. */
export interface AccountOwner {
  environment: Environment;
  team_id: bigint;
}

interface Subject extends AccountOwner {
  subject_id: string;
  provider: string;
  account_id: string;
  numbers: KnownNumbers;
}

/** Runs a call to a provider in the context of this attempt, payout or refund. */
type Within = <Answer>(subject_id: string, numbers: KnownNumbers, call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Records the HTTP exchanges of providers. A wrapped provider supplies the subject of a call, a wrapped sender the exchanges for it.
 * Calls without a subject (balances, lookups) are not recorded.
 */
export class ExchangeWatch {
  readonly #subject = new AsyncLocalStorage<Subject>();
  readonly #record: (exchange: NewExchange) => void;
  readonly #clock: Clock;

  constructor(record: (exchange: NewExchange) => void, clock: Clock) {
    this.#record = record;
    this.#clock = clock;
  }

  /** Returns a sender that records each exchange of a subject, once its outcome is known. */
  send(inner: Send): Send {
    return async (options) => {
      const subject = this.#subject.getStore();
      const result = await inner(options);
      if (subject) this.#record(exchangeOf(subject, options, result, this.#clock.now() - result.duration_ms));
      return result;
    };
  }

  /** Returns the provider with each call run in the context of its subject. Absent capabilities stay absent. */
  provider(provider: Provider, owner: AccountOwner): Provider {
    const { name, account_id, payouts, refunds } = provider;
    const within: Within = (subject_id, numbers, call) =>
      this.#subject.run({ ...owner, subject_id, provider: name, account_id, numbers }, call);
    const about = <Answer>(it: Collection, call: () => Promise<Answer>) =>
      within(it.attempt_id, it.payer === null ? null : [it.payer], call);
    const { prepare, continue: next, cancel } = provider;
    return present<Provider>({
      name,
      account_id,
      capabilities: provider.capabilities,
      provesPayer: provider.provesPayer?.bind(provider),
      acknowledgement: provider.acknowledgement,
      offers: provider.offers.bind(provider),
      isClosed: provider.isClosed?.bind(provider),
      keyOf: provider.keyOf.bind(provider),
      prepare: prepare && ((it) => about(it, () => prepare.call(provider, it))),
      submit: (it) => about(it, () => provider.submit(it)),
      continue: next && ((it, input) => about(it, () => next.call(provider, it, input))),
      read: (it) => about(it, () => provider.read(it)),
      cancel: cancel && ((it) => about(it, () => cancel.call(provider, it))),
      payouts: payouts && payoutsWithin(payouts, within),
      refunds: refunds && refundsWithin(refunds, within),
      balance: provider.balance?.bind(provider),
      lookup: provider.lookup?.bind(provider),
      verifyCallback: provider.verifyCallback?.bind(provider),
    });
  }
}

function payoutsWithin(payouts: Payouts, within: Within): Payouts {
  const { cancel } = payouts;
  const about = <Answer>({ transfer_id, recipient }: Payout, call: () => Promise<Answer>) => {
    const numbers = [recipient.phone, recipient.account_number].filter((one) => one !== null);
    return within(transfer_id, numbers.length === 0 ? null : numbers, call);
  };
  return present<Payouts>({
    idempotency: payouts.idempotency,
    reaches: payouts.reaches.bind(payouts),
    submit: (it) => about(it, () => payouts.submit(it)),
    read: (it) => about(it, () => payouts.read(it)),
    cancel: cancel && ((it) => about(it, () => cancel.call(payouts, it))),
  });
}

function refundsWithin(refunds: Refunds, within: Within): Refunds {
  const about = <Answer>({ refund_id, collection: { payer } }: Refund, call: () => Promise<Answer>) =>
    within(refund_id, payer === null ? null : [payer], call);
  return present<Refunds>({
    idempotency: refunds.idempotency,
    extent: refunds.extent,
    needsPayer: refunds.needsPayer?.bind(refunds),
    stepOf: refunds.stepOf?.bind(refunds),
    submit: (it) => about(it, () => refunds.submit(it)),
    read: (it) => about(it, () => refunds.read(it)),
  });
}

function exchangeOf(
  { numbers, ...subject }: Subject,
  { method, url, body }: SendOptions,
  result: SendResult,
  at: number,
): NewExchange {
  const answered = result.kind === 'answered' ? result : null;
  return {
    ...subject,
    callback: null,
    ...{ id: newId('pex', subject.environment, at), at, method, path: redactedPath(url) },
    status: answered?.status ?? null,
    error: result.kind === 'failed' ? result.error : null,
    duration_ms: Math.round(result.duration_ms),
    request: body === undefined ? null : redactedBody(String(body), numbers),
    response: answered && redactedBody(answered.body, numbers),
    response_bytes: answered ? Buffer.byteLength(answered.body) : 0,
  };
}
