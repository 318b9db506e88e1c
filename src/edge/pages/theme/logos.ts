import type { Clock } from '../../../kit/clock.ts';
import type { Guard, Send } from '../../../kit/fetch.ts';
import { imageType } from './image.ts';

/** With the page's own maximum of 7.9 kB the total stays below the limit of 15 kB. A logo of 132 x 132 pixels fits. */
const MAX_LOGO_BYTES = 6 * 1024;
const TIMEOUT_MS = 4_000;
const KEEP_MS = 3_600_000;
/**
 * How long a failed fetch is cached. A merchant that fixes its logo need not wait an hour, and a server that is down does
 * not get a request from every payer.
 */
const KEEP_NONE_MS = 60_000;
/** Maximum number of cached logos: 1.5 MB at most. */
const MAX_LOGOS = 256;
/** Maximum number of cached logos of one team, so that its payments with a logo each do not evict those of other teams. */
const MAX_KEPT_OF_A_TEAM = 16;
/** Maximum concurrent fetches. Without a limit, pages with slow logos could exhaust our sockets. */
const MAX_AT_ONCE = 64;
/** Maximum concurrent fetches of one team, so that its slow logos leave capacity for other teams. */
const MAX_OF_A_TEAM = 4;

/** An image whose type was detected from its content. */
export interface Logo {
  type: string;
  bytes: Buffer;
}

/**
 * Merchants' logos. We fetch them, so that the payer's IP address is not disclosed to the logo's server, and cache them in
 * this process.
 */
export class Logos {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #known = new Map<string, { team_id: bigint; logo: Logo | null; until: number }>();
  readonly #coming = new Map<string, Promise<Logo | null>>();
  readonly #ofTeam = new Map<bigint, number>();

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /**
   * Returns a logo; null when there is none that can be shown or a limit of concurrent fetches is reached.
   * @param team_id the team whose page shows it
   * @param guard which addresses it may be fetched from
   */
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
    this.#keep(team_id, key, logo);
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
      max_bytes: MAX_LOGO_BYTES,
      encoding: 'latin1',
    });
    if (answer.kind === 'failed' || answer.status !== 200 || answer.truncated) return null;
    const bytes = Buffer.from(answer.body, 'latin1');
    const type = imageType(bytes);
    return type ? { type, bytes } : null;
  }

  /** Stores a logo and evicts the oldest, of the team or of all, at either limit. A Map iterates in insertion order. */
  #keep(team_id: bigint, key: string, logo: Logo | null): void {
    this.#known.delete(key);
    const ofTeam = [...this.#known].filter(([, known]) => known.team_id === team_id).map(([name]) => name);
    const [oldest] = ofTeam.length >= MAX_KEPT_OF_A_TEAM ? ofTeam : this.#known.size >= MAX_LOGOS ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, { team_id, logo, until: this.#clock.now() + (logo ? KEEP_MS : KEEP_NONE_MS) });
  }
}
