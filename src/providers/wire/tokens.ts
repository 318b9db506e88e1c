import type { Clock } from '../../kit/clock.ts';
import { fieldsOf, type Reply } from './reply.ts';

// Shared by the adapters that ask for a token first: mtn-momo, both of orange-money, cinetpay and mpesa-daraja.

/** A token, or why there is none. */
type Grant = { kind: 'granted'; token: string } | { kind: 'denied'; message: string };

/** What the provider answered: with the seconds it said the token would live. */
export type Minted = { kind: 'minted'; token: string; lives_ms: number } | { kind: 'denied'; message: string };

/** What may stand in a header. */
const VISIBLE = /^[\x21-\x7e]{1,8192}$/;

/** The answer of an OAuth token endpoint; its lifetime comes as a number or as a text. @param what for the message: `token` */
export function bearerOf(reply: Reply, what = 'token'): Minted {
  if (reply.kind !== 'answered') return { kind: 'denied', message: `no ${what}: ${reply.message}` };
  const { access_token, expires_in } = fieldsOf(reply.body);
  const lives_ms = Number(expires_in) * 1_000;
  if (reply.status !== 200 || typeof access_token !== 'string' || !VISIBLE.test(access_token) || !(lives_ms > 0)) {
    return { kind: 'denied', message: `no ${what}: HTTP ${reply.status}` };
  }
  return { kind: 'minted', token: access_token, lives_ms };
}

/** Whether the answer says that the token was turned down, as most say it. */
export function isUnauthorised(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status === 401;
}

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

  /** A token that was turned down proves that nothing was done: the call is made once more with a new one. */
  async use(call: (token: string) => Promise<Reply>, isTurnedDown: (reply: Reply) => boolean): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const grant = await this.#get();
      if (grant.kind === 'denied') return { kind: 'unsent', message: grant.message };
      const reply = await call(grant.token);
      if (tries > 1 || !isTurnedDown(reply)) return reply;
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

  /** It is not used again; one that has replaced it meanwhile is kept. */
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
