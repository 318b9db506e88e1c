import type { Bank } from './bank.ts';
import type { Entry, Flow, Money } from './book.ts';
import type { Random } from './contract.ts';
import { type Passage, passageOf, type Plan } from './fates.ts';

/** What distinguishes one provider account from another. */
export interface Traits {
  account_id: string;
  name: string;
  idempotency: 'replays' | 'conflicts' | 'none';
  readable_by: 'ours' | 'theirs';
  grace_ms: number;
  signs: boolean;
  refunds: 'full' | 'partial' | null;
  payouts: boolean;
  cancels: boolean;
  prepares: boolean;
  /** What it may take although it says that it does not: what can be sent again to it alone, or is taken from a payer, who gets it back. */
  denies: readonly Flow[];
  channels: readonly { channel: string; currency: string }[];
}

/** Time after which the sender of a request no longer waits for its answer. */
export const TIMEOUT_MS = 30_000;

interface Request extends Money {
  flow: Flow;
  key: string;
  subject: string;
  of: string | null;
  number: string | null;
  description: string;
  callback_url: string;
}

/** What a request came to: the entry, if the provider has one, and whether its sender hears of it. */
interface Arrival {
  passage: Passage;
  entry: Entry | null;
  /** The key had arrived before. */
  repeated: boolean;
  random: Random;
}

/** The part of a provider that is the same for collections, refunds and payouts. */
export abstract class Handler {
  protected readonly bank: Bank;
  protected readonly traits: Traits;

  constructor(bank: Bank, traits: Traits) {
    this.bank = bank;
    this.traits = traits;
  }

  protected async arrive(request: Request, plan: (random: Random) => Plan): Promise<Arrival> {
    const { bank, traits } = this;
    const random = bank.drawFor(request.flow, request.description);
    const drawn = bank.settled ? 'answered' : passageOf(random, bank.weather);
    const passage = drawn === 'denied' && !traits.denies.includes(request.flow) ? 'answered' : drawn;
    const sent_at = bank.now();
    await bank.point(`${traits.name} gets ${request.flow} ${request.key}`);
    const known = bank.book.find(traits.account_id, request.key);
    if (passage === 'unavailable' || passage === 'vanished') {
      if (passage === 'vanished') await bank.sleep(TIMEOUT_MS);
      return { passage, entry: null, repeated: known !== undefined, random };
    }
    if (known) return this.#repeat(request, known, passage, random);
    const entry = this.#enter(request, passage, plan(random), random);
    // What arrives so late, or can only be identified by an answer that was lost, is reported until the report is taken.
    const insists = passage === 'denied' || (passage !== 'answered' && traits.readable_by === 'theirs');
    bank.plan(entry, random, traits, insists || bank.now() - sent_at > traits.grace_ms / 4);
    if (passage === 'lost' || passage === 'delayed') await bank.sleep(TIMEOUT_MS);
    await bank.point(`${traits.name} answers ${request.key}`);
    return { passage, entry, repeated: false, random };
  }

  #repeat(request: Request, known: Entry, passage: Passage, random: Random): Arrival {
    const { bank, traits } = this;
    known.arrivals += 1;
    if (known.amount_minor !== request.amount_minor || known.currency !== request.currency)
      bank.book.violations.push(`${request.key} was sent again with another amount`);
    if (traits.idempotency === 'none')
      bank.book.violations.push(`${request.key} was sent twice to a provider without idempotency`);
    return { passage: passage === 'refused' ? 'answered' : passage, entry: known, repeated: true, random };
  }

  #enter(request: Request, passage: Passage, drawn: Plan, random: Random): Entry {
    const { bank, traits } = this;
    const plan = bank.settled ? { ...drawn, after_ms: 0, late_after_ms: null } : drawn;
    const { amount_minor, currency } = request;
    const lag = traits.grace_ms / 4;
    const arrived_at = bank.now() + (passage === 'delayed' ? random.int(lag) : 0);
    const refused = passage === 'refused';
    const ends_at = arrived_at + (refused ? 0 : plan.after_ms);
    const entry: Entry = {
      ...{ account: traits.account_id, flow: request.flow, key: request.key, ref: `ref-${request.key}` },
      ...{ subject: request.subject, of: request.of, number: request.number, amount_minor, currency, arrived_at, ends_at },
      visible_at: arrived_at + (random.chance(0.05 * bank.weather.storm) ? random.int(lag) : 0),
      end: refused ? 'failed' : plan.end,
      late_at: plan.late_after_ms === null || refused ? null : ends_at + plan.late_after_ms,
      denied: passage === 'denied',
      moves: { amount_minor, currency },
      ...{ misreports: null, reveals: null },
      ...{ reason: plan.reason, callback_url: request.callback_url, arrivals: 1 },
    };
    bank.book.add(entry);
    // Decided before anything can read the entry, also where the answer is lost or late.
    if (request.flow === 'payout' && passage !== 'denied') this.differ(entry, random.fork('differs'), 0.08);
    return entry;
  }

  /**
   * The provider reports another amount or currency than was requested: for a while by mistake, or because that has moved. A payout moves
   * another amount only where its merchant asked for it: what such a return to a payer comes to is decided by its payment.
   */
  protected differ(entry: Entry, random: Random, chance: number): void {
    const { bank } = this;
    if (bank.settled || !random.chance(chance * bank.weather.storm)) return;
    if (entry.flow !== 'collect' && (entry.end !== 'succeeded' || entry.late_at !== null)) return;
    const other = entry.amount_minor > 100n && random.chance(0.5) ? entry.amount_minor - 100n : entry.amount_minor + 100n;
    const mayMove = entry.flow === 'collect' || entry.subject.startsWith('po_');
    if (mayMove && random.chance(entry.flow === 'payout' ? 0.5 : 0.3)) entry.moves = { ...entry.moves, amount_minor: other };
    else if (random.chance(0.8)) entry.misreports = { ...entry.moves, amount_minor: other };
    else entry.misreports = { ...entry.moves, currency: entry.currency === 'XAF' ? 'XOF' : 'XAF' };
    bank.count(`${entry.flow}: another amount or currency ${entry.misreports ? 'is reported' : 'moves'}`);
  }

  /** The entry that a read finds. `dark`: nothing can be said now. */
  protected async look(key: string, ref: string | null): Promise<Entry | 'dark' | null> {
    const { bank, traits } = this;
    await bank.point(`${traits.name} is asked for ${key}`);
    const random = bank.random;
    if (!bank.settled && random.chance(0.04 * bank.weather.storm)) return 'dark';
    if (traits.readable_by === 'theirs' && ref === null) return 'dark';
    const entry = bank.book.find(traits.account_id, key);
    await bank.point(`${traits.name} shows ${key}`);
    return entry && entry.visible_at <= bank.now() ? entry : null;
  }
}
