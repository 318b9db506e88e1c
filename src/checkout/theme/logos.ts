import type { Clock } from '../../kit/clock.ts';
import type { Guard, Send } from '../../kit/fetch.ts';
import { imageType } from './image.ts';

/** With the page's own 7.5 kB at most this stays below the 15 kB that everything may weigh; a mark of 132 x 132 fits. */
const MOST_LOGO_BYTES = 6 * 1024;
const TIMEOUT_MS = 4_000;
const KEEP_MS = 3_600_000;
/** A shop that mends its logo does not wait an hour; one whose server is down is not asked by every payer. */
const KEEP_NONE_MS = 60_000;
/** 1.5 MB at most. */
const MOST_LOGOS = 256;
/** Fetches under way: more would let pages of slow logos use up our sockets. */
const MAX_AT_ONCE = 64;
/** Of one team: its slow logos leave places for those of others. */
const MAX_OF_A_TEAM = 4;

/** A picture that is what it says. */
export interface Logo {
  type: string;
  bytes: Buffer;
}

/** Merchants' logos, fetched by us so that a payer's address is told to nobody, and kept for a while in this process. */
export class Logos {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #known = new Map<string, { logo: Logo | null; until: number }>();
  readonly #coming = new Map<string, Promise<Logo | null>>();
  readonly #ofTeam = new Map<bigint, number>();

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Null when there is none that can be shown. @param team_id whose page shows it @param guard where it may be fetched from */
  async get(team_id: bigint, url: string, guard: Guard): Promise<Logo | null> {
    const key = `${guard} ${url}`;
    const known = this.#known.get(key);
    if (known && known.until > this.#clock.now()) return known.logo;
    const coming = this.#coming.get(key);
    if (coming) return coming;
    const ofTeam = this.#ofTeam.get(team_id) ?? 0;
    if (this.#coming.size >= MAX_AT_ONCE || ofTeam >= MAX_OF_A_TEAM) return null;
    const fetched = this.#fetch(url, guard).finally(() => this.#leave(team_id, key));
    this.#coming.set(key, fetched);
    this.#ofTeam.set(team_id, ofTeam + 1);
    const logo = await fetched;
    this.#keep(key, logo);
    return logo;
  }

  #leave(team_id: bigint, key: string): void {
    this.#coming.delete(key);
    const left = (this.#ofTeam.get(team_id) ?? 1) - 1;
    if (left > 0) this.#ofTeam.set(team_id, left);
    else this.#ofTeam.delete(team_id);
  }

  async #fetch(url: string, guard: Guard): Promise<Logo | null> {
    const answer = await this.#send({
      method: 'GET',
      url,
      guard,
      headers: { accept: 'image/webp, image/png, image/jpeg' },
      timeout_ms: TIMEOUT_MS,
      max_bytes: MOST_LOGO_BYTES,
      encoding: 'latin1',
    });
    if (answer.kind === 'failed' || answer.status !== 200 || answer.truncated) return null;
    const bytes = Buffer.from(answer.body, 'latin1');
    const type = imageType(bytes);
    return type ? { type, bytes } : null;
  }

  /** The oldest makes room: a Map keeps the order in which it was filled. */
  #keep(key: string, logo: Logo | null): void {
    this.#known.delete(key);
    const oldest = this.#known.size >= MOST_LOGOS ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { logo, until: this.#clock.now() + (logo ? KEEP_MS : KEEP_NONE_MS) });
  }
}
