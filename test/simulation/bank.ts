import type { PayoutOutcome, PayoutReason, Reading, Refund, RefundOutcome } from '../../src/providers/adapters/contract.ts';
import { Book, type Entry, hasMoved, stateOf } from './book.ts';
import { asUpdate, type CallbackBody, sealOf } from './callbacks.ts';
import { type CodeAnswer, Codes } from './codes.ts';
import type { Random, Surroundings } from './contract.ts';
import type { Weather } from './fates.ts';
import type { Traits } from './handler.ts';

/** A callback that is still to be sent. */
interface Notice {
  at: number;
  nth: number;
  entry: Entry;
  traits: Traits;
  body: () => CallbackBody;
  /** Where it is sent: the address of the operation, or that of the account. */
  url: string;
  /** Sent again until it is taken. */
  insists: boolean;
}

/** What all simulated providers of a world share: their books, the callbacks they still have to send, and their weather. */
export class Bank {
  readonly book = new Book();
  readonly weather: Weather;
  readonly random: Random;
  readonly #around: Surroundings;
  readonly #apiUrl: string;
  readonly #counts = new Map<string, number>();
  readonly #codes = new Codes();
  /** Refunds of which an answer contradicted our books: by what they return, and by their keys. */
  readonly #doubted = new Set<string>();
  readonly #doubtedKeys = new Set<string>();
  /** Refunds that were sent after such an answer, and what they return. Whether it had been heard is for the service to show. */
  readonly sentDespite: { refund_id: string; of: string }[] = [];
  #notices: Notice[] = [];
  #written = 0;
  /** From now on everything is decided at once, and nothing is lost. */
  settled = false;

  constructor(around: Surroundings, weather: Weather, apiUrl: string) {
    this.#around = around;
    this.weather = weather;
    this.random = around.random.fork('bank');
    this.#apiUrl = apiUrl;
  }

  now(): number {
    return this.#around.now();
  }

  point(label: string): Promise<void> {
    return this.#around.point(label);
  }

  count(what: string): void {
    this.#around.count(what);
  }

  sleep(ms: number): Promise<void> {
    return this.#around.sleep(ms);
  }

  /** Does something after some time, whoever waits for it. */
  async later(ms: number, work: () => void): Promise<void> {
    await this.sleep(ms);
    work();
  }

  /** A generator that depends only on what is asked for, so that other operations may be left out of the world. */
  drawFor(flow: string, description: string): Random {
    const name = `${flow} ${description}`;
    const nth = this.#counts.get(name) ?? 0;
    this.#counts.set(name, nth + 1);
    return this.#around.random.fork(`${name} ${nth}`);
  }

  /** Decides everything that is open. */
  settle(): void {
    this.settled = true;
    const now = this.now();
    this.#codes.settle(now);
    for (const entry of this.book.entries) {
      entry.misreports = null;
      entry.ends_at = Math.min(entry.ends_at, now);
      entry.visible_at = Math.min(entry.visible_at, now);
      if (entry.late_at !== null) entry.late_at = Math.min(entry.late_at, now);
    }
    for (const notice of this.#notices) notice.at = Math.min(notice.at, now);
  }

  /** Draws the callbacks of a new entry. */
  plan(entry: Entry, random: Random, traits: Traits, insists: boolean): void {
    const { ends_at, late_at } = entry;
    const count = insists ? 1 + random.int(3) : random.pick([0, 1, 1, 1, 1, 2, 3]);
    for (let i = 0; i < count; i++) {
      const at = ends_at + random.int(random.chance(0.2) ? 600_000 : 5_000);
      this.#write({ at, entry, traits, insists: insists && i === 0 }, random);
    }
    if (late_at === null) return;
    // Nothing polls what has ended: success that comes late is reported until the report is taken.
    this.#write({ at: late_at, entry, traits, insists: true }, random);
    if (random.chance(0.3)) this.#write({ at: late_at + random.int(60_000), entry, traits, insists: false }, random);
  }

  #write(notice: Pick<Notice, 'at' | 'entry' | 'traits' | 'insists'>, random: Random): void {
    const { entry, traits, insists } = notice;
    const [stale, forged, early] = [random.chance(0.1), random.chance(0.02), random.chance(0.1)];
    // At the address of the account only a reference that we know identifies it.
    const general = random.chance(0.3) && entry.flow === 'collect' && !insists;
    // A provider that is read by its own reference reports by it: with our key alone nobody could ask.
    const by = random.chance(0.5) && traits.readable_by === 'ours' ? ('provider_key' as const) : ('provider_ref' as const);
    const at = early && !insists ? Math.max(entry.arrived_at, notice.at - 30_000) : notice.at;
    const body = (): CallbackBody => {
      const value = by === 'provider_key' ? entry.key : entry.ref;
      const reading = stale && !insists ? olderReading(entry) : this.readingOf(entry);
      const update = traits.signs && entry.flow === 'collect' ? asUpdate(reading) : null;
      const seal = forged && !insists ? 'forged' : sealOf(entry.account);
      return { seal, signed: traits.signs, by, value, update };
    };
    const url = general ? `${this.#apiUrl}/_callbacks/${entry.account}` : entry.callback_url;
    this.#written += 1;
    this.#notices.push({ ...notice, at, nth: this.#written, body, url });
  }

  /** Whether callbacks are still to be sent. */
  get pending(): number {
    return this.#notices.length;
  }

  /** Milliseconds until the next callback is due, at most `most_ms`. */
  next(most_ms: number): number {
    const now = this.now();
    return this.#notices.reduce((least, { at }) => Math.min(least, Math.max(500, at - now)), most_ms);
  }

  /** Sends the callbacks that are due. */
  async deliver(): Promise<void> {
    const now = this.now();
    const due = this.#notices.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at || a.nth - b.nth);
    this.#notices = this.#notices.filter(({ at }) => at > now);
    await Promise.all(due.map((notice) => this.#send(notice)));
  }

  async #send(notice: Notice): Promise<void> {
    const path = notice.url.slice(this.#apiUrl.length);
    const body = Buffer.from(JSON.stringify(notice.body()));
    const answer = await this.#around.callback(path, { headers: { 'content-type': 'application/json' }, body });
    if (!notice.insists || (answer !== 'lost' && answer.status === 200)) return;
    this.#notices.push({ ...notice, at: this.now() + 20_000 });
  }

  // ------------------------------------------------------------------------------------------- one-time codes
  awaitCode(entry: Entry): void {
    this.#codes.await(entry, this.now());
  }

  codeArrived(entry: Entry, code: string, traits: Traits): CodeAnswer {
    const random = this.drawFor('code', entry.key);
    const wasAwaited = this.#codes.isAwaited(entry);
    const answer = this.#codes.take(entry, code, traits, random, this.now());
    if (wasAwaited && !this.#codes.isAwaited(entry)) this.plan(entry, random, traits, traits.readable_by === 'theirs');
    return answer;
  }

  // ------------------------------------------------------------------------------------------- what is reported
  readingOf(entry: Entry): Reading {
    const { ref, moves, misreports, reason } = entry;
    const poll_after_ms = 1_000 + this.random.int(30_000);
    switch (stateOf(entry, this.now())) {
      case 'pending':
        return { kind: 'pending', poll_after_ms, ...(entry.reveals ? { next: entry.reveals } : {}) };
      case 'succeeded':
        return { kind: 'succeeded', provider_ref: ref, ...(misreports ?? moves) };
      case 'failed':
      case 'unfunded':
        return { kind: 'failed', reason: reason as 'operator_declined', message: 'declined' };
      case 'cancelled':
        return { kind: 'cancelled', reason: 'payer_declined', message: 'cancelled by the payer' };
      case 'expired':
        return { kind: 'expired' };
    }
  }

  /** @param unfunded whether this call may tell that the float was empty: a read, or a submission whose repetition tells the same */
  refundOutcomeOf(entry: Entry, unfunded: boolean): RefundOutcome {
    switch (stateOf(entry, this.now())) {
      case 'succeeded':
        return { kind: 'succeeded', provider_ref: entry.ref };
      case 'pending':
        return this.#pending(entry);
      case 'unfunded':
        return unfunded ? { kind: 'unfunded', message: 'the float is empty' } : this.#pending(entry);
      default:
        return { kind: 'failed', reason: 'operator_declined', message: 'refused' };
    }
  }

  /** @param unfunded as of a refund */
  payoutOutcomeOf(entry: Entry, unfunded: boolean): PayoutOutcome {
    const { moves, misreports, ref, reason } = entry;
    switch (stateOf(entry, this.now())) {
      case 'succeeded':
        return { kind: 'succeeded', provider_ref: ref, ...(misreports ?? moves) };
      case 'pending':
        return this.#pending(entry);
      case 'unfunded':
        return unfunded ? { kind: 'unfunded', message: 'the float is empty' } : this.#pending(entry);
      case 'cancelled':
        return { kind: 'cancelled', message: 'cancelled by the provider' };
      default:
        return { kind: 'failed', reason: reason as PayoutReason | null, message: 'refused' };
    }
  }

  /** Some give a reference only later. */
  #pending(entry: Entry): { kind: 'pending'; provider_ref: string | null; poll_after_ms: number } {
    const provider_ref = this.random.chance(0.2) ? null : entry.ref;
    this.count(`${entry.flow}: pending ${provider_ref === null ? 'without' : 'with'} a reference`);
    return { kind: 'pending', provider_ref, poll_after_ms: 1_000 + this.random.int(20_000) };
  }

  /** Whether an answer about a refund contradicts our books; not of one that was sent in spite of such an answer. */
  isDoubting(random: Random, { refund_id }: Refund): boolean {
    const isDespite = this.sentDespite.some((one) => one.refund_id === refund_id);
    return !this.settled && !isDespite && random.chance(0.02 * this.weather.storm);
  }

  /** An answer that only a person understands. From now on the refund of this collection must not be sent again. */
  needPerson({ account_id }: Traits, { refund_id, provider_key, collection }: Refund): RefundOutcome {
    this.#doubted.add(`${account_id} ${refund_id} ${collection.provider_key}`);
    this.#doubtedKeys.add(`${account_id} ${provider_key}`);
    this.count('a refund that needs a person');
    return { kind: 'unknown', message: 'it was refunded otherwise', needs_person: true };
  }

  /** Whether a person has to end it: it was said to contradict our books, and its provider will never say that it has ended. */
  needsPerson(account: string, key: string): boolean {
    const entry = this.book.find(account, key);
    return this.#doubtedKeys.has(`${account} ${key}`) && (!entry || entry.end === 'unfunded');
  }

  /** A provider refuses nothing here: what should never be asked for is a violation. */
  checkRefund(traits: Traits, { refund_id, provider_key, amount_minor, currency, collection }: Refund): void {
    const { book } = this;
    if (this.#doubted.has(`${traits.account_id} ${refund_id} ${collection.provider_key}`))
      this.sentDespite.push({ refund_id, of: collection.provider_key });
    if (book.find(traits.account_id, provider_key)) return;
    const collected = book.find(traits.account_id, collection.provider_key);
    const now = this.now();
    if (!collected || !hasMoved(collected, now) || collected.moves.currency !== currency) {
      book.violations.push(`${provider_key} is to return ${collection.provider_key}, which was not collected`);
      return;
    }
    book.lapse(traits.account_id, collection.provider_key, amount_minor, now);
    const returned = book.returned(traits.account_id, collection.provider_key, now);
    if (returned + amount_minor > collected.moves.amount_minor)
      book.violations.push(`${provider_key} is to return more of ${collection.provider_key} than was collected`);
    if (traits.refunds === 'full' && amount_minor !== collected.moves.amount_minor)
      book.violations.push(`${provider_key} is to return a part of ${collection.provider_key}, which its provider cannot`);
  }
}

/** What an earlier callback said that arrives after a later one. */
function olderReading({ late_at, end }: Entry): Reading {
  if (late_at === null) return { kind: 'pending', poll_after_ms: 5_000 };
  if (end === 'expired') return { kind: 'expired' };
  return { kind: end === 'cancelled' ? 'cancelled' : 'failed', reason: 'payer_declined', message: 'an older report' };
}
