import { type Clock, hasCome } from '../../../kit/clock.ts';
import type { Offer } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf, textOf } from '../wire/reply.ts';
import { routeOfProvider, STATIC_OFFERS, staticTerms, type Terms } from './channels.ts';
import type { Client } from './client.ts';
import type { PublicKeys } from './keys.ts';

/** Dependencies shared by the parts of the adapter. */
export interface Account {
  client: Client;
  configuration: Configuration;
  public_keys: PublicKeys;
  clock: Clock;
  base_url: string;
  /** The period after submission in which "not found" may only mean that the status endpoint lags. */
  grace_ms: number;
}

/** The period in which a configuration is used before it is read again. */
const FRESH_MS = 240_000;
/** Delay before the next read after a failure. */
const RETRY_MS = 30_000;

type Operation = Offer['operations'][number];

interface Known {
  offers: readonly Offer[];
  /** Keys have the form `<operation> <channel> <currency>`. */
  terms: Map<string, Terms>;
  /** Operations whose operator is closed at the moment, by the same keys. */
  closed: Set<string>;
  signed_callbacks: boolean;
}

/**
 * Cached configuration of the account (`active-conf`). Its methods never wait: they use the cached value, and refresh
 * an old one in the background. The public list of operators is used until the first successful read.
 */
export class Configuration {
  readonly #client: Client;
  readonly #clock: Clock;
  #known: Known | null = null;
  #read_next_at = 0;
  #reading: Promise<void> | null = null;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  offers(): readonly Offer[] {
    this.#keepFresh();
    return this.#known?.offers ?? STATIC_OFFERS;
  }

  /** Returns the terms of an operation, or undefined when it is not currently available. */
  terms(operation: Operation, channelId: string, currency: string): Terms | undefined {
    this.#keepFresh();
    return this.#known ? this.#known.terms.get(nameOf(operation, channelId, currency)) : staticTerms(channelId, currency);
  }

  /** Returns whether the account has the operation, but its operator is closed at the moment. */
  isClosed(operation: Operation, channelId: string, currency: string): boolean {
    this.#keepFresh();
    return this.#known?.closed.has(nameOf(operation, channelId, currency)) ?? false;
  }

  /** Returns whether the account's callbacks are always signed. False while the configuration is unknown. */
  signsCallbacks(): boolean {
    this.#keepFresh();
    return this.#known?.signed_callbacks ?? false;
  }

  /** Resolves when a refresh in progress has ended. */
  async settled(): Promise<void> {
    this.#keepFresh();
    await this.#reading;
  }

  #keepFresh(): void {
    if (this.#reading || !hasCome(this.#read_next_at, this.#clock.now(), FRESH_MS)) return;
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
  }

  async #read(): Promise<void> {
    const reply = await this.#client.get('/v2/active-conf');
    const known = reply.kind === 'answered' && reply.status === 200 ? configurationOf(reply.body) : null;
    this.#known = known ?? this.#known;
    this.#read_next_at = this.#clock.now() + (known ? FRESH_MS : RETRY_MS);
  }
}

/**
 * Parses a configuration.
 * @returns null when the body is not a configuration
 */
export function configurationOf(body: unknown): Known | null {
  const { countries, signatureConfiguration } = fieldsOf(body);
  if (!Array.isArray(countries)) return null;
  const known: Known & { offers: Offer[] } = {
    offers: [],
    terms: new Map(),
    closed: new Set(),
    signed_callbacks: fieldsOf(signatureConfiguration).signedCallbacks === true,
  };
  for (const country of countries) {
    for (const provider of listOf(fieldsOf(country).providers)) addProvider(known, fieldsOf(provider));
  }
  return known;
}

function addProvider(known: Known & { offers: Offer[] }, { provider, currencies }: Record<string, unknown>): void {
  const route = routeOfProvider(textOf(provider) ?? '');
  if (!route) return;
  for (const entry of listOf(currencies)) {
    const { currency, operationTypes } = fieldsOf(entry);
    if (typeof currency !== 'string') continue;
    const { DEPOSIT, PAYOUT } = fieldsOf(operationTypes);
    for (const [operation, type] of [
      ['collect', fieldsOf(DEPOSIT)],
      ['payout', fieldsOf(PAYOUT)],
    ] as const) {
      const name = nameOf(operation, route.channel, currency);
      if (!isOpen(operation, type.status)) {
        // The type of an operation that the account does not have is missing.
        if (CLOSED.has(type.status)) known.closed.add(name);
        continue;
      }
      const decimals = type.decimalsInAmount === 'NONE' ? 0 : 2;
      const auth = type.authType === 'PREAUTH' || type.authType === 'REDIRECT_AUTH' ? type.authType : 'PROVIDER_AUTH';
      known.terms.set(name, { auth, decimals });
      known.offers.push({
        ...{ channel: route.channel, currency, operations: [operation] },
        // Older accounts have the older field names.
        min_minor: minorOf(textOf(type.minAmount) ?? type.minTransactionLimit),
        max_minor: minorOf(textOf(type.maxAmount) ?? type.maxTransactionLimit),
        step_minor: decimals === 0 ? 100n : null,
      });
    }
  }
}

function nameOf(operation: Operation, channelId: string, currency: string): string {
  return `${operation} ${channelId} ${currency}`;
}

/** Statuses in which an operator accepts nothing until it is available again (active-conf). */
const CLOSED = new Set<unknown>(['CLOSED', 'DELAYED']);

/** Returns whether the operator is available. A DELAYED operator rejects deposits and queues payouts. */
function isOpen(operation: Operation, status: unknown): boolean {
  return status === 'OPERATIONAL' || (status === 'DELAYED' && operation === 'payout');
}
