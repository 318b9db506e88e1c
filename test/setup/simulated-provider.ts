import type {
  Collection,
  Payout,
  PayoutOutcome,
  Payouts,
  Provider,
  Reading,
  Refund,
  RefundOutcome,
  Refunds,
  Submission,
} from '../../src/providers/adapters/contract.ts';

/**
 * What becomes of one operation. `at_once`: it succeeds in the answer. `later`: it is accepted and succeeds. `refused`: the answer
 * refuses it. `refused_later`: it is accepted, then fails. `lost`: it happens, the answer is lost, and for some time nothing can be
 * read of it. `vanished`: the request never arrives. `unavailable`: the first request is not taken. `unfunded`: the
 * same of a refund or payout, because the account holds too little. `late`: a collection that fails
 * and succeeds after all; of other operations, one that is accepted and takes long.
 */
export const FATES = [
  'at_once',
  'later',
  'refused',
  'refused_later',
  'lost',
  'vanished',
  'unavailable',
  'unfunded',
  'late',
] as const;
export type Fate = (typeof FATES)[number];

export type Flow = 'collect' | 'refund' | 'payout';

/** One operation in the book of the provider, under the key it was sent with. */
export interface Operation {
  flow: Flow;
  key: string;
  /** Of a refund: the collection it returns. */
  of: string | null;
  amount_minor: bigint;
  currency: string;
  fate: Fate;
  /** Requests and questions that have arrived. */
  asked: number;
  /** Whether money moved. */
  moved: boolean;
  /** What was last reported of it. Never reported: it is unknown whether it happened. */
  reported: 'nothing' | 'pending' | 'succeeded' | 'failed';
}

/** Fates that a registered payment or transfer has for itself. */
const PER_OWNER = 3;
/** Questions during which an operation with a lost answer cannot be read. */
const DARK = 2;

/**
 * A provider with a book of its own: what it collected, returned and paid out, by key. It knows nothing of the ledger and shares no
 * code with the core, so that the two can be compared. The nth operation of a flow has the nth of its fates. Workers send several
 * operations at once, so that their order is not that of the test: of what was registered, the nth operation of each has a fate of
 * its own, whatever else is sent beside it.
 */
export class SimulatedProvider {
  readonly operations = new Map<string, Operation>();
  /** What a real provider would never have let happen. */
  readonly violations: string[] = [];
  readonly provider: Provider;
  readonly #fates: Record<Flow, Fate[]>;
  readonly #counts = new Map<string, number>();
  readonly #registered: string[] = [];

  constructor(name: string, fates: Partial<Record<Flow, Fate[]>> = {}, abilities: { refunds?: boolean; payouts?: boolean } = {}) {
    this.#fates = { collect: [], refund: [], payout: [], ...fates };
    const { refunds = true, payouts = true } = abilities;
    this.provider = {
      name,
      account_id: name,
      capabilities: {
        idempotency: 'replays',
        readable_by: 'ours',
        polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 },
        not_found_grace_ms: 600_000,
      },
      offers: () => null,
      keyOf: (id) => id,
      submit: async (collection) => this.#collect(collection),
      read: async (collection) => this.#readCollection(collection),
      ...(refunds ? { refunds: this.#refunds() } : {}),
      ...(payouts ? { payouts: this.#payouts() } : {}),
    };
  }

  /** What it holds for the merchant: collected, less returned and paid out. */
  held(currency: string, which: (operation: Operation) => boolean = ({ moved }) => moved): bigint {
    return [...this.operations.values()]
      .filter((operation) => operation.currency === currency && which(operation))
      .reduce((sum, { flow, amount_minor }) => sum + (flow === 'collect' ? amount_minor : -amount_minor), 0n);
  }

  /** @param owner a payment, whose collections and refunds are decided apart from those of others, or a transfer */
  register(owner: string): void {
    this.#registered.push(owner);
  }

  /** Operations of a flow that are not decided yet fail from now on. */
  refuse(flow: Flow): void {
    for (const operation of this.operations.values()) {
      if (operation.flow === flow && !operation.moved && operation.reported !== 'failed') operation.fate = 'refused_later';
    }
  }

  #nextFate(flow: Flow, owner: string): Fate {
    const place = this.#registered.indexOf(owner);
    const counter = place < 0 ? flow : `${flow} ${owner}`;
    const nth = this.#counts.get(counter) ?? 0;
    this.#counts.set(counter, nth + 1);
    return this.#fates[flow][place < 0 ? nth : place * PER_OWNER + nth] ?? 'at_once';
  }

  /** A collection that was reported as failed succeeds after all. @returns whether there was one */
  succeedLate(): Operation | undefined {
    const late = [...this.operations.values()].find(
      ({ flow, fate, moved, reported }) => flow === 'collect' && fate === 'late' && !moved && reported === 'failed',
    );
    if (late) this.#move(late);
    return late;
  }

  #collect({ provider_key, amount_minor, currency, description }: Collection): Submission {
    const operation = this.#arrive({ flow: 'collect', key: provider_key, of: null, amount_minor, currency }, description);
    if (!operation) return { kind: 'unknown', message: 'no answer' };
    switch (operation.fate) {
      case 'unavailable':
        if (operation.asked === 1) return this.#untaken(operation);
        break;
      case 'refused':
        this.#report(operation, 'failed');
        return { kind: 'refused', reason: 'insufficient_funds', message: 'not enough money' };
      case 'lost':
        return { kind: 'unknown', message: 'the answer was lost' };
      case 'later':
      case 'refused_later':
      case 'late':
        this.#report(operation, 'pending');
        return { kind: 'accepted', provider_ref: `ref-${provider_key}`, next: { kind: 'confirm' }, poll_after_ms: 1_000 };
    }
    this.#move(operation);
    this.#report(operation, 'succeeded');
    return { kind: 'succeeded', provider_ref: `ref-${provider_key}`, amount_minor, currency };
  }

  #readCollection({ provider_key }: Collection): Reading {
    const operation = this.#asked(provider_key);
    switch (this.#decide(operation)) {
      case 'not_found':
        return { kind: 'not_found' };
      case 'dark':
        return { kind: 'unreadable', message: 'an empty page' };
      case 'pending':
        return { kind: 'pending', poll_after_ms: 1_000 };
      case 'failed':
        return { kind: 'failed', reason: 'payer_declined', message: 'declined' };
      case 'succeeded': {
        const { amount_minor, currency } = operation as Operation;
        return { kind: 'succeeded', provider_ref: `ref-${provider_key}`, amount_minor, currency };
      }
    }
  }

  #refunds(): Refunds {
    return {
      extent: 'partial',
      submit: async ({ provider_key, amount_minor, currency, collection }: Refund) => {
        const of = collection.provider_key;
        const request = { flow: 'refund', key: provider_key, of, amount_minor, currency } as const;
        const operation = this.#arrive(request, collection.description);
        return refundOutcome(this.#answer(operation), provider_key);
      },
      read: async ({ provider_key }: Refund) => refundOutcome(this.#decide(this.#asked(provider_key)), provider_key),
    };
  }

  #payouts(): Payouts {
    return {
      reaches: () => true,
      submit: async (payout: Payout) => {
        const { provider_key: key, amount_minor, currency, description } = payout;
        const request = { flow: 'payout', key, of: null, amount_minor, currency } as const;
        return payoutOutcome(this.#answer(this.#arrive(request, description)), payout);
      },
      read: async (payout: Payout) => payoutOutcome(this.#decide(this.#asked(payout.provider_key)), payout),
    };
  }

  /** A request arrives, unless it is one that vanishes. The same key is the same operation. */
  #arrive(request: Pick<Operation, 'flow' | 'key' | 'of' | 'amount_minor' | 'currency'>, owner: string): Operation | undefined {
    const known = this.operations.get(request.key);
    if (known) {
      if (known.amount_minor !== request.amount_minor || known.currency !== request.currency)
        this.violations.push(`${request.key} was sent again with another amount`);
      known.asked += 1;
      return known;
    }
    const fate = this.#nextFate(request.flow, owner);
    if (fate === 'vanished') return undefined;
    const operation: Operation = { ...request, fate, asked: 1, moved: false, reported: 'nothing' };
    this.operations.set(request.key, operation);
    if (fate === 'lost') this.#move(operation);
    return operation;
  }

  /** The answer to a request for a refund or payout. */
  #answer(operation: Operation | undefined): Said {
    if (!operation) return 'dark';
    switch (operation.fate) {
      case 'unavailable':
        if (operation.asked > 1) break;
        this.#untaken(operation);
        return 'unavailable';
      case 'unfunded':
        if (operation.asked > 1) break;
        return 'unfunded';
      case 'lost':
        return 'dark';
      case 'refused':
        return this.#report(operation, 'failed');
      case 'later':
      case 'refused_later':
      case 'late':
        return operation.reported === 'succeeded' || operation.reported === 'failed'
          ? operation.reported
          : this.#report(operation, 'pending');
    }
    this.#move(operation);
    return this.#report(operation, 'succeeded');
  }

  #asked(key: string): Operation | undefined {
    const operation = this.operations.get(key);
    if (operation) operation.asked += 1;
    return operation;
  }

  /** What a question about an operation is answered. */
  #decide(operation: Operation | undefined): Exclude<Said, 'unavailable' | 'unfunded'> {
    if (!operation) return 'not_found';
    const { fate, asked, flow, moved } = operation;
    if (fate === 'lost' && asked <= 1 + DARK) return 'dark';
    if (moved) return this.#report(operation, 'succeeded');
    if (fate === 'refused' || fate === 'refused_later' || (fate === 'late' && flow === 'collect'))
      return this.#report(operation, 'failed');
    if (fate === 'late' && asked <= 2 + DARK) return this.#report(operation, 'pending');
    this.#move(operation);
    return this.#report(operation, 'succeeded');
  }

  /** It was not taken: as if it had never been asked for, except that the next request is. */
  #untaken(operation: Operation): { kind: 'unavailable'; message: string } {
    operation.reported = 'nothing';
    return { kind: 'unavailable', message: 'closed' };
  }

  #report<R extends 'pending' | 'succeeded' | 'failed'>(operation: Operation, reported: R): R {
    operation.reported = reported;
    return reported;
  }

  #move(operation: Operation): void {
    if (operation.moved) return;
    operation.moved = true;
    if (operation.flow !== 'refund') return;
    const collected = this.operations.get(operation.of as string);
    const returned = [...this.operations.values()]
      .filter(({ flow, of, moved }) => flow === 'refund' && of === operation.of && moved)
      .reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
    if (!collected?.moved || returned > collected.amount_minor)
      this.violations.push(`${operation.key} returns more than was collected`);
  }
}

type Said = 'not_found' | 'dark' | 'unavailable' | 'unfunded' | 'pending' | 'succeeded' | 'failed';

function refundOutcome(said: Said, key: string): RefundOutcome {
  switch (said) {
    case 'succeeded':
      return { kind: 'succeeded', provider_ref: `ref-${key}` };
    case 'failed':
      return { kind: 'failed', reason: 'operator_declined', message: 'refused' };
    case 'pending':
      return { kind: 'pending', provider_ref: `ref-${key}`, poll_after_ms: 1_000 };
    case 'not_found':
      return { kind: 'not_found' };
    default:
      return { kind: said === 'dark' ? 'unknown' : said, message: said };
  }
}

function payoutOutcome(said: Said, { provider_key, amount_minor, currency }: Payout): PayoutOutcome {
  switch (said) {
    case 'succeeded':
      return { kind: 'succeeded', provider_ref: `ref-${provider_key}`, amount_minor, currency };
    case 'failed':
      return { kind: 'failed', reason: 'invalid_recipient', message: 'refused' };
    case 'pending':
      return { kind: 'pending', provider_ref: `ref-${provider_key}`, poll_after_ms: 1_000 };
    case 'not_found':
      return { kind: 'not_found' };
    default:
      return { kind: said === 'dark' ? 'unknown' : said, message: said };
  }
}
