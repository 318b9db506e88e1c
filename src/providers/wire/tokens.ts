import type { Clock } from '../../kit/clock.ts';

// Shared by the adapters that ask for a token first: mtn-momo, both of orange-money, cinetpay and mpesa-daraja.

/** A token, or why there is none. */
export type Grant = { kind: 'granted'; token: string } | { kind: 'denied'; message: string };

/** What the provider answered: with the seconds it said the token would live. */
export type Minted = { kind: 'minted'; token: string; lives_ms: number } | { kind: 'denied'; message: string };

/** A renewal that fails this long before the end leaves time for others. */
const EARLY_MS = 300_000;

/** One bearer token: kept, renewed before its end, and asked for once however many callers wait. */
export class Tokens {
  readonly #mint: () => Promise<Minted>;
  readonly #clock: Clock;
  #held: { token: string; renew_at: number; ends_at: number } | null = null;
  #renewal: Promise<Grant> | null = null;

  constructor(mint: () => Promise<Minted>, clock: Clock) {
    this.#mint = mint;
    this.#clock = clock;
  }

  async get(): Promise<Grant> {
    const held = this.#held;
    if (held && this.#clock.now() < held.renew_at) return { kind: 'granted', token: held.token };
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    const grant = await this.#renewal;
    if (grant.kind === 'denied' && held && this.#clock.now() < held.ends_at) return { kind: 'granted', token: held.token };
    return grant;
  }

  /** A token that was turned down is not used again; one that has replaced it meanwhile is kept. */
  drop(token: string): void {
    if (this.#held?.token === token) this.#held = null;
  }

  async #renew(): Promise<Grant> {
    const minted = await this.#mint();
    if (minted.kind === 'denied') return minted;
    const { token, lives_ms } = minted;
    const now = this.#clock.now();
    this.#held = { token, renew_at: now + Math.max(lives_ms - EARLY_MS, lives_ms / 2), ends_at: now + lives_ms };
    return { kind: 'granted', token };
  }
}
