/*
 * The books of all simulated providers. They share no code with the core, so that the two can be compared.
 */

import type { Next } from '../../src/providers/adapters/contract.ts';

export type Flow = 'collect' | 'refund' | 'payout';

/** How an operation ends at its provider. `waiting`: it waits for input from the payer. */
export type End = 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'unfunded';

export interface Money {
  amount_minor: bigint;
  currency: string;
}

/** One operation at a provider, under the key it was sent with. */
export interface Entry extends Money {
  account: string;
  flow: Flow;
  key: string;
  ref: string;
  /** Our id of the attempt, refund or transfer. */
  subject: string;
  /** Of a refund: the key of the collection it returns. */
  of: string | null;
  /** Number or account of the payer or of the recipient, as the request had it; null: the request had none. */
  number: string | null;
  arrived_at: number;
  /** Before this the status endpoint does not find it. */
  visible_at: number;
  end: End;
  /** When it ends; infinity while it waits for the payer. */
  ends_at: number;
  /** When it succeeds although it had ended otherwise. */
  late_at: number | null;
  /** The provider took it and said that it did not. */
  denied: boolean;
  /** The money that moves if it succeeds: another than was requested in a mismatch. */
  moves: Money;
  /** What the payer has to do, where only a status read says it. */
  reveals: Next | null;
  /** What the provider reports instead, until it corrects itself. */
  misreports: Money | null;
  /** Of a payout that fails, null where its provider says none. */
  reason: string | null;
  callback_url: string;
  /** Requests with this key. */
  arrivals: number;
}

export class Book {
  readonly entries: Entry[] = [];
  /** What a provider would never have let happen. */
  readonly violations: string[] = [];
  readonly #byKey = new Map<string, Entry>();
  readonly #byRef = new Map<string, Entry>();
  readonly #refundsOf = new Map<string, Entry[]>();

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#byKey.set(`${entry.account} ${entry.key}`, entry);
    this.#byRef.set(`${entry.account} ${entry.ref}`, entry);
    if (entry.of !== null) {
      const of = `${entry.account} ${entry.of}`;
      this.#refundsOf.set(of, [...(this.#refundsOf.get(of) ?? []), entry]);
    }
  }

  find(account: string, key: string): Entry | undefined {
    return this.#byKey.get(`${account} ${key}`);
  }

  findByRef(account: string, ref: string): Entry | undefined {
    return this.#byRef.get(`${account} ${ref}`);
  }

  /**
   * Gives up what may still succeed late of the refunds of a collection, if it would not fit beside another refund: a provider never
   * returns more than it collected.
   */
  lapse(account: string, key: string, another_minor: bigint, now: number): void {
    const waiting = (this.#refundsOf.get(`${account} ${key}`) ?? []).filter((one) => one.late_at !== null && !mayMove(one, now));
    const late = waiting.reduce((sum, { moves }) => sum + moves.amount_minor, 0n);
    const collected = this.find(account, key)?.moves.amount_minor ?? 0n;
    if (this.returned(account, key, now) + late + another_minor <= collected) return;
    for (const one of waiting) one.late_at = null;
  }

  /** The part of a collection that refunds have returned or may still return, in hundredths. */
  returned(account: string, key: string, now: number): bigint {
    const refunds = this.#refundsOf.get(`${account} ${key}`) ?? [];
    return refunds.reduce((sum, refund) => (mayMove(refund, now) ? sum + refund.moves.amount_minor : sum), 0n);
  }
}

export function hasMoved(entry: Entry, now: number): boolean {
  return (entry.end === 'succeeded' && now >= entry.ends_at) || (entry.late_at !== null && now >= entry.late_at);
}

function mayMove(entry: Entry, now: number): boolean {
  return entry.end === 'succeeded' || hasMoved(entry, now);
}

/** What the provider shows of an operation at this time. */
export function stateOf(entry: Entry, now: number): End | 'pending' {
  if (hasMoved(entry, now)) return 'succeeded';
  return now >= entry.ends_at ? entry.end : 'pending';
}
