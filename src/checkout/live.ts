import { PassThrough, type Readable } from 'node:stream';
import type { Deps } from '../deps.ts';
import { type Environment, ENVIRONMENTS } from '../kit/environment.ts';
import type { Hosted } from '../payments/hosted.ts';
import { type Glimpse, glimpses } from '../payments/watch.ts';
import { progressOf, standingOf } from './standing.ts';

/** One look for all pages that wait, so that their number costs the database nothing but longer lists. */
const LOOK_MS = 1_000;
/** Proxies close what is silent, and the page takes over by asking when nothing came for longer than this. */
const BEAT_MS = 15_000;
/** After that the browser opens another by itself: nothing is kept for a page that was left open. */
const LONGEST_MS = 300_000;
/** How soon it does so. */
const RETRY_MS = 2_000;
const MOST_STREAMS = 5_000;
/** A payer has a phone and a computer; more is somebody who wants to use us up. */
const MOST_OF_A_PAYMENT = 4;

interface Follower {
  stream: PassThrough;
  last: string;
  beat_at: number;
  until: number;
}

/** The pages of one payment. */
interface Watched {
  environment: Environment;
  team_id: bigint;
  id: string;
  followers: Set<Follower>;
}

/**
 * Tells waiting pages by server-sent events when their payment moves on. Whichever process moved it: each looks at the
 * rows its own pages wait for, all at once.
 */
export class Live {
  readonly #deps: Pick<Deps, 'clock' | 'log' | 'service' | 'stores'>;
  readonly #watched = new Map<string, Watched>();
  #streams = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Pick<Deps, 'clock' | 'log' | 'service' | 'stores'>) {
    this.#deps = deps;
  }

  /** A stream that begins with how the payment stands now; null when there are too many, so that the page asks instead. */
  follow(hosted: Hosted): Readable | null {
    const { payment } = hosted;
    const watched = this.#watched.get(payment.id) ?? newlyWatched(hosted);
    if (this.#deps.service.leaving || this.#streams >= MOST_STREAMS || watched.followers.size >= MOST_OF_A_PAYMENT) return null;
    const now = this.#deps.clock.now();
    const follower: Follower = { stream: new PassThrough(), last: '', beat_at: 0, until: now + LONGEST_MS };
    follower.stream.write(`retry: ${RETRY_MS}\n`);
    this.#watched.set(payment.id, watched);
    watched.followers.add(follower);
    this.#streams++;
    follower.stream.once('close', () => this.#forget(watched, follower));
    tell(follower, hosted, now);
    this.#timer ??= this.#later();
    return follower.stream;
  }

  /** Ends all streams: their pages open another, which a balancer leads to a process that stays. */
  close(): void {
    clearTimeout(this.#timer);
    for (const { followers } of this.#watched.values()) for (const { stream } of followers) stream.end();
  }

  #forget(watched: Watched, follower: Follower): void {
    if (!watched.followers.delete(follower)) return;
    this.#streams--;
    if (watched.followers.size === 0) this.#watched.delete(watched.id);
  }

  #later(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    if (this.#deps.service.leaving) this.close();
    for (const environment of ENVIRONMENTS) await this.#lookAt(environment);
    // The next look waits for this one: a database that is slow is not asked more often for it.
    this.#timer = this.#streams > 0 ? this.#later() : undefined;
  }

  async #lookAt(environment: Environment): Promise<void> {
    const all = [...this.#watched.values()].filter((watched) => watched.environment === environment);
    if (all.length === 0) return;
    try {
      for (const seen of await glimpses(this.#deps.stores[environment], all)) this.#spread(seen);
    } catch (err) {
      // The streams stay: the next look may succeed, and the pages ask by themselves when nothing comes.
      this.#deps.log.warn({ err, environment }, 'waiting pages could not be told how their payments stand');
    }
  }

  #spread(seen: Glimpse): void {
    const now = this.#deps.clock.now();
    for (const follower of this.#watched.get(seen.payment.id)?.followers ?? []) tell(follower, seen, now);
  }
}

function newlyWatched({ store, payment }: Hosted): Watched {
  return { environment: store.environment, team_id: payment.team_id, id: payment.id, followers: new Set() };
}

/** Says it when it has changed, or when it was silent for long; ends after the last that can be said. */
function tell(follower: Follower, seen: Parameters<typeof progressOf>[0], now: number): void {
  const { stream } = follower;
  if (stream.writableEnded) return;
  const said = JSON.stringify(progressOf(seen, now));
  if (said !== follower.last || now >= follower.beat_at) {
    follower.last = said;
    follower.beat_at = now + BEAT_MS;
    stream.write(`data: ${said}\n\n`);
  }
  if (standingOf(seen, now).kind === 'final' || now >= follower.until) stream.end();
}
