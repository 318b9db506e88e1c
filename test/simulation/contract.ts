import type { Secrets } from '../../src/kit/crypto.ts';
import type { Db } from '../../src/kit/sql.ts';
import type { WholeStore } from '../../src/platform/db/stores.ts';
import type { Deps } from '../../src/program/deps.ts';
import type { Providers } from '../../src/providers/provider-accounts/directory.ts';

/** A seeded generator. Everything random in a world comes from one of these. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** An integer of at least 0, below `below`. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  chance(p: number): boolean;
  /** A generator of its own, decided by this one's seed and the name alone: drawing from it does not change any other. */
  fork(name: string): Random;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the caller expects a shape and fails when it is not there
  body: any;
}

export interface CallRequest {
  method: string;
  path: string;
  /** API key; none: a page, such as the hosted payment page. */
  key?: string;
  idempotency_key?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** What the merchants, payers and providers of a world see of it. */
export interface Surroundings {
  random: Random;
  /** Numbers of payers and payees that were drawn in this world. */
  numbers: Set<string>;
  /** True virtual time in milliseconds since the epoch. */
  now(): number;
  /** A request over the virtual network to some node. `lost`: the request or its answer was lost, or the node died: its fate is unknown. */
  call(request: CallRequest): Promise<Answer | 'lost'>;
  /** Waits in virtual time. */
  sleep(ms: number): Promise<void>;
  /** A scheduling point, with a label in the story. */
  point(label: string): Promise<void>;
  /** Delivers a provider's callback to our callback address over the virtual network. */
  callback(path: string, request: { headers: Record<string, string>; body: Buffer }): Promise<Answer | 'lost'>;
  /** Adds a line to the story. */
  log(line: string): void;
  /** Adds to the number of occurrences of a kind. */
  count(what: string, times?: number): void;
}

/** A delivery of a webhook, as the endpoint of a merchant receives it. */
export interface Delivery {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** One independent course of action: a payment with all that its shop and payer do about it. Dropped by the shrinker as a whole. */
export interface Actor {
  /** Shown in the story, such as `payment 17: two tranches, refund, dispute`. */
  name: string;
  /** Payments that it makes: what a run counts. */
  payments: number;
  /** Names of operations that may be left out one by one; `run` skips those in `without`. */
  operations: readonly string[];
  run(without: ReadonlySet<string>): Promise<void>;
}

/** What the setting up of a population works with. Nothing else runs meanwhile. */
export interface Ground {
  surroundings: Surroundings;
  /** Both as their owner, around every scheduling point and fault. */
  control: Db;
  live: Db;
  secrets: Secrets;
  /** Payments that the actors make together. */
  payments: number;
  /** Several things happen to one payment at the same moment. */
  crowded: boolean;
  /** One of the nodes, for work that a program of the service does at the command line. */
  apiUrl: string;
  /**
   * Runs on some node what a person does at the command line, or what a provider's notice of a dispute causes. `lost`: the node
   * died meanwhile.
   */
  operate<T>(work: (deps: Deps, store: WholeStore) => Promise<T>): Promise<T | 'lost'>;
}

/** The half of a world that is not the service. */
export interface Population {
  providers: Providers;
  actors: readonly Actor[];
  /** An endpoint of a merchant. `timeout`: there is no answer. */
  receive(delivery: Delivery): Promise<{ status: number; body?: string } | 'timeout'>;
  /**
   * Called when all actors have ended: providers decide everything that is open, endpoints answer 200 from now on, so that time
   * alone leads to the end of everything.
   */
  settle(): Promise<void>;
  /** Called after the last event. Returns the differences between books, ledger, API and deliveries in plain words. */
  audit(): Promise<string[]>;
}

export type Populate = (ground: Ground) => Promise<Population>;
