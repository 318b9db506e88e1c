import { must } from '../../src/kit/errors.ts';
import type { Collection, PayerInput, Reading, Submission } from '../../src/providers/adapters/contract.ts';
import type { TestProvider } from './providers.ts';

export const ACCEPTED: Submission = { kind: 'accepted', provider_ref: 'ref-1', next: { kind: 'confirm' }, poll_after_ms: 1_000 };

/** A provider that answers what the test wrote down, and remembers what it was sent and asked. */
export class Scripted implements TestProvider {
  readonly name: string;
  /** Awaited before the answer to a submission. */
  onPrepare: (collection: Collection) => Promise<void> = async () => {};
  onSubmit: (collection: Collection) => Promise<void> = async () => {};
  onContinue: (collection: Collection) => Promise<void> = async () => {};
  onRead: (collection: Collection) => Promise<void> = async () => {};
  submission: Submission = ACCEPTED;
  further: Submission = ACCEPTED;
  /** By attempt; what is not there is not found. */
  readonly readings = new Map<string, Reading>();
  readonly submitted: Collection[] = [];
  readonly continued: Collection[] = [];
  /** The payer's inputs, in the order of {@link continued}. */
  readonly inputs: PayerInput[] = [];
  readonly asked: Collection[] = [];

  constructor(name = 'scripted') {
    this.name = name;
  }

  readonly prepare = async (collection: Collection) => {
    await this.onPrepare(collection);
    return { kind: 'ready', handle: null } as const;
  };

  async submit(collection: Collection): Promise<Submission> {
    this.submitted.push(collection);
    await this.onSubmit(collection);
    return this.submission;
  }

  readonly continue = async (collection: Collection, input: PayerInput): Promise<Submission> => {
    this.continued.push(collection);
    this.inputs.push(input);
    const answer = this.further;
    await this.onContinue(collection);
    return answer;
  };

  async read(collection: Collection): Promise<Reading> {
    this.asked.push(collection);
    await this.onRead(collection);
    return this.readings.get(collection.attempt_id) ?? { kind: 'not_found' };
  }

  /** The attempt that was submitted last. */
  get last(): Collection {
    return must(this.submitted.at(-1), 'something was submitted');
  }

  /** That the provider holds the money of an attempt, or another amount in its place. */
  paid({ attempt_id, amount_minor, currency }: Collection, other: { amount_minor?: bigint; currency?: string } = {}): void {
    this.readings.set(attempt_id, {
      kind: 'succeeded',
      provider_ref: `ref-${attempt_id}`,
      amount_minor,
      currency,
      ...other,
    });
  }

  reset(): void {
    Object.assign(this, { submission: ACCEPTED, further: ACCEPTED });
    this.onPrepare = this.onSubmit = this.onContinue = this.onRead = async () => {};
    this.submitted.length = this.continued.length = this.inputs.length = this.asked.length = 0;
    this.readings.clear();
  }
}
