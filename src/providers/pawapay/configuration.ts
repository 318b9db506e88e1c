import type { Clock } from '../../kit/clock.ts';
import type { Offer } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf, textOf } from '../wire/reply.ts';
import { routeOfProvider, STATIC_OFFERS, staticTerms, type Terms } from './channels.ts';
import type { Client } from './client.ts';

/** How long the account's configuration is believed. */
const FRESH_MS = 240_000;
/** After a reading that failed. */
const RETRY_MS = 30_000;

type Operation = Offer['operations'][number];

interface Known {
  offers: readonly Offer[];
  /** By `<operation> <channel> <currency>`. */
  terms: Map<string, Terms>;
  signed_callbacks: boolean;
}

/**
 * What the account may do, as pawaPay says (`active-conf`). Asking for it never waits: what is known is given, and what
 * is old is read again in the background. Before it was ever read, the public list of operators stands in.
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

  /** What an operation needs; undefined when it is not offered at the moment. */
  terms(operation: Operation, channelId: string, currency: string): Terms | undefined {
    this.#keepFresh();
    return this.#known ? this.#known.terms.get(`${operation} ${channelId} ${currency}`) : staticTerms(channelId, currency);
  }

  /** Whether the account's callbacks are always signed; false also while nobody knows. */
  signsCallbacks(): boolean {
    this.#keepFresh();
    return this.#known?.signed_callbacks ?? false;
  }

  /** When a reading that is under way has ended. */
  async settled(): Promise<void> {
    this.#keepFresh();
    await this.#reading;
  }

  #keepFresh(): void {
    if (this.#reading || this.#clock.now() < this.#read_next_at) return;
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

/** @returns null when this is not a configuration at all */
export function configurationOf(body: unknown): Known | null {
  const { countries, signatureConfiguration } = fieldsOf(body);
  if (!Array.isArray(countries)) return null;
  const known: Known & { offers: Offer[] } = {
    offers: [],
    terms: new Map(),
    signed_callbacks: fieldsOf(signatureConfiguration).signedCallbacks === true,
  };
  for (const country of countries) {
    for (const provider of listOf(fieldsOf(country).providers)) addProvider(known, fieldsOf(provider));
  }
  return known;
}

function addProvider(known: Known & { offers: Offer[] }, { provider, currencies }: Record<string, unknown>): void {
  const route = routeOfProvider(String(provider));
  if (!route) return;
  for (const entry of listOf(currencies)) {
    const { currency, operationTypes } = fieldsOf(entry);
    if (typeof currency !== 'string') continue;
    const { DEPOSIT, PAYOUT } = fieldsOf(operationTypes);
    for (const [operation, type] of [
      ['collect', fieldsOf(DEPOSIT)],
      ['payout', fieldsOf(PAYOUT)],
    ] as const) {
      if (!isOpen(operation, type.status)) continue;
      const decimals = type.decimalsInAmount === 'NONE' ? 0 : 2;
      const auth = type.authType === 'PREAUTH' || type.authType === 'REDIRECT_AUTH' ? type.authType : 'PROVIDER_AUTH';
      known.terms.set(`${operation} ${route.channel} ${currency}`, { auth, decimals });
      known.offers.push({
        ...{ channel: route.channel, currency, operations: [operation] },
        // Older accounts see the older names.
        min_minor: minorOf(textOf(type.minAmount) ?? type.minTransactionLimit),
        max_minor: minorOf(textOf(type.maxAmount) ?? type.maxTransactionLimit),
        step_minor: decimals === 0 ? 100n : null,
      });
    }
  }
}

/** An operator that is DELAYED rejects deposits and keeps payouts in a queue. */
function isOpen(operation: Operation, status: unknown): boolean {
  return status === 'OPERATIONAL' || (status === 'DELAYED' && operation === 'payout');
}
