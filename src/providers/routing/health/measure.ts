import type { Clock } from '../../../kit/clock.ts';
import type { Collection, Payout, Payouts, Provider, Refund, Refunds } from '../../adapters/contract.ts';
import { present } from '../../adapters/members.ts';
import { asRead, BROKEN, type Finding, ofPayout, ofPreparation, ofReading, ofRefund, ofSubmission } from './findings.ts';

export const MEASURED = ['collect', 'payout', 'refund'] as const;
export type Measured = (typeof MEASURED)[number];

/** Identifies the lane of a call, and whether the call submits (an operation, or a further step of its payer) or reads an operation. */
export interface Subject {
  account_id: string;
  channel: string;
  operation: Measured;
  call: 'start' | 'read';
  /** Id of the charge, payout or refund. */
  id: string;
  /** When it was submitted, in milliseconds since the epoch; null before that, or when it is not known. */
  submitted_at: number | null;
}

/** Receives the measurements. */
export interface Observer {
  /** Called when a submission is sent. */
  sending(subject: Subject): void;
  /**
   * Called with the result of a call.
   * @param sent time at which the call began
   */
  report(subject: Subject, finding: Finding, sent: number): void;
}

/** Runs one call and reports its result. */
type Watch = <Answer>(
  subject: Omit<Subject, 'account_id'>,
  call: () => Promise<Answer>,
  judge: (answer: Answer) => Finding | null,
) => Promise<Answer>;

/** Returns the provider with the result of every call about money reported. Absent capabilities stay absent. */
export function measured(provider: Provider, observer: Observer, clock: Clock): Provider {
  const { account_id, payouts, refunds } = provider;
  const watch = watching(account_id, observer, clock);
  const collect = (call: Subject['call'], { channel, attempt_id, submitted_at }: Collection) =>
    ({ channel: channel.id, operation: 'collect', call, id: attempt_id, submitted_at }) as const;
  const prepare = provider.prepare?.bind(provider);
  const further = provider.continue?.bind(provider);
  return present<Provider>({
    name: provider.name,
    account_id,
    capabilities: provider.capabilities,
    provesPayer: provider.provesPayer?.bind(provider),
    acknowledgement: provider.acknowledgement,
    offers: provider.offers.bind(provider),
    isClosed: provider.isClosed?.bind(provider),
    keyOf: provider.keyOf.bind(provider),
    prepare: prepare && ((it) => watch(collect('start', it), () => prepare(it), ofPreparation)),
    submit: (it) => watch(collect('start', it), () => provider.submit(it), ofSubmission),
    continue: further && ((it, input) => watch(collect('start', it), () => further(it, input), ofSubmission)),
    read: (it) => watch(collect('read', it), () => provider.read(it), ofReading),
    cancel: provider.cancel?.bind(provider),
    payouts: payouts && measuredPayouts(payouts, watch),
    refunds: refunds && measuredRefunds(refunds, watch),
    balance: provider.balance?.bind(provider),
    lookup: provider.lookup?.bind(provider),
    verifyCallback: provider.verifyCallback?.bind(provider),
  });
}

function measuredPayouts(payouts: Payouts, watch: Watch): Payouts {
  const payout = (call: Subject['call'], { channel, transfer_id, submitted_at }: Payout) =>
    ({ channel: channel.id, operation: 'payout', call, id: transfer_id, submitted_at }) as const;
  return present<Payouts>({
    idempotency: payouts.idempotency,
    reaches: payouts.reaches.bind(payouts),
    submit: (it) => watch(payout('start', it), () => payouts.submit(it), ofPayout),
    read: (it) =>
      watch(
        payout('read', it),
        () => payouts.read(it),
        (answer) => asRead(ofPayout(answer)),
      ),
    cancel: payouts.cancel?.bind(payouts),
  });
}

function measuredRefunds(refunds: Refunds, watch: Watch): Refunds {
  const refund = (call: Subject['call'], { collection, provider_key, submitted_at }: Refund) =>
    ({ channel: collection.channel.id, operation: 'refund', call, id: provider_key, submitted_at }) as const;
  return present<Refunds>({
    idempotency: refunds.idempotency,
    extent: refunds.extent,
    needsPayer: refunds.needsPayer?.bind(refunds),
    stepOf: refunds.stepOf?.bind(refunds),
    submit: (it) => watch(refund('start', it), () => refunds.submit(it), ofRefund),
    read: (it) =>
      watch(
        refund('read', it),
        () => refunds.read(it),
        (answer) => asRead(ofRefund(answer)),
      ),
  });
}

function watching(account_id: string, observer: Observer, clock: Clock): Watch {
  return async (parts, call, judge) => {
    const subject = { account_id, ...parts };
    const sent = clock.now();
    if (parts.call === 'start') observer.sending(subject);
    try {
      const answer = await call();
      const finding = judge(answer);
      if (finding) observer.report(subject, finding, sent);
      return answer;
    } catch (error) {
      observer.report(subject, BROKEN, sent);
      throw error;
    }
  };
}
