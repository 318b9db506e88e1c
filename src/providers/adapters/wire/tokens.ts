import type { Clock } from '../../../kit/clock.ts';
import { fieldsOf, type Reply, wordOf } from './reply.ts';

// Shared by the adapters that authenticate with a bearer token: mtn-momo, both of orange-money, cinetpay and
// mpesa-daraja.

/** A token, or the reason why none is available. */
type Grant = { kind: 'granted'; token: string } | { kind: 'denied'; message: string };

/** The result of a token request, with the lifetime the provider reported. */
export type Minted = { kind: 'minted'; token: string; lives_ms: number } | { kind: 'denied'; message: string };

/** Characters accepted in a header value. */
const VISIBLE = /^[\x21-\x7e]{1,8192}$/;

/**
 * Parses the response of an OAuth token endpoint. `expires_in` may be a number or a text, in seconds.
 * @param what name of the token in the error message
 */
export function bearerOf(reply: Reply, what = 'token'): Minted {
  if (reply.kind !== 'answered') return { kind: 'denied', message: `no ${what}: ${reply.message}` };
  const { access_token, expires_in } = fieldsOf(reply.body);
  const lives_ms = Number(wordOf(expires_in) ?? Number.NaN) * 1_000;
  if (reply.status !== 200 || typeof access_token !== 'string' || !VISIBLE.test(access_token) || !(lives_ms > 0)) {
    return { kind: 'denied', message: `no ${what}: HTTP ${reply.status}` };
  }
  return { kind: 'minted', token: access_token, lives_ms };
}

/** Returns whether the response rejects the token with 401, as most providers do. */
export function isUnauthorised(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status === 401;
}

/** Renewal starts this long before expiry, so that a failed renewal can be retried while the current token is still valid. */
const EARLY_MS = 300_000;

/** One cached bearer token. It is renewed before it expires, and concurrent callers share one renewal. */
export class Tokens {
  readonly #mint: () => Promise<Minted>;
  readonly #clock: Clock;
  #held: { token: string; renew_at: number; ends_at: number } | null = null;
  #renewal: Promise<Grant> | null = null;

  constructor(mint: () => Promise<Minted>, clock: Clock) {
    this.#mint = mint;
    this.#clock = clock;
  }

  /**
   * Makes a call with a token. A rejected token proves that nothing was done, so the call is made once more with a new
   * token.
   */
  async use(call: (token: string) => Promise<Reply>, isRejected: (reply: Reply) => boolean): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const grant = await this.#get();
      if (grant.kind === 'denied') return { kind: 'unsent', message: grant.message };
      const reply = await call(grant.token);
      if (tries > 1 || !isRejected(reply)) return reply;
      this.#drop(grant.token);
    }
  }

  async #get(): Promise<Grant> {
    const held = this.#held;
    if (held && this.#clock.now() < held.renew_at) return { kind: 'granted', token: held.token };
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    const grant = await this.#renewal;
    if (grant.kind === 'denied' && held && this.#clock.now() < held.ends_at) return { kind: 'granted', token: held.token };
    return grant;
  }

  /** Drops a rejected token. A token that has replaced it in the meantime is kept. */
  #drop(token: string): void {
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
