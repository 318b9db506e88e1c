import { lowestIdAt } from '../../../kit/ids.ts';
import type { Answer } from '../api.ts';

/** An event as GET /events returns it. */
export interface ReceivedEvent {
  id: string;
  type: string;
  /** Number of the event among those of its resource, from 1. */
  sequence: number;
  created: string;
  body: { data: Record<string, unknown> };
}

export type Fetch = (path: string) => Promise<Answer>;

/**
 * How late an event can become visible. Its id, and so its position in the list, is assigned when its change begins; it
 * becomes visible when the change commits, possibly after a later one. No change takes longer than this: statements are
 * limited to 15 s and idle transactions to 30 s.
 */
const LATE_MS = 60_000;
const PER_PAGE = 100;
/** Maximum pages read to catch up: ten thousand events. */
const MAX_PAGES = 100;

/** Follows the list of events and returns each once, in the order of their ids. */
export class EventTail {
  readonly #fetch: Fetch;
  #seen = new Set<string>();
  /** Events with smaller ids are ignored. */
  #floor: string;
  #newest = '';
  #newestAt = performance.now();

  private constructor(fetch: Fetch, floor: string) {
    this.#fetch = fetch;
    this.#floor = floor;
    this.#seen.add(floor);
  }

  /**
   * Opens a tail.
   * @param first calls the service once, at the start
   * @param fetch calls the service from then on
   * @param since returns events from this id on; null for events that are not visible yet
   */
  static async start(first: Fetch, fetch: Fetch, since: string | null): Promise<EventTail> {
    const { body } = await first('/events?per_page=1&cursor=');
    if (since) return new EventTail(fetch, since);
    const newest = body.items[0];
    const tail = new EventTail(fetch, newest ? lateBefore(newest.created) : '');
    // Existing events count as seen, although events with smaller ids may still appear.
    await tail.more();
    return tail;
  }

  /** Returns the events since the last call, oldest first. */
  async more(): Promise<ReceivedEvent[]> {
    const fresh: ReceivedEvent[] = [];
    let cursor = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const { headers, body } = await this.#fetch(`/events?per_page=${PER_PAGE}&cursor=${encodeURIComponent(cursor)}`);
      const events = receivedEvents(body.items, String(headers['x-service-sequence'] ?? ''));
      fresh.push(...events.filter(({ id }) => id >= this.#floor && !this.#seen.has(id)));
      if (!body.meta.has_more || (events.at(-1)?.id ?? '') < this.#floor) break;
      if (page === MAX_PAGES - 1) console.error(`only the newest ${fresh.length} events are shown`);
      cursor = body.meta.next_cursor;
    }
    this.#remember(fresh);
    return fresh.reverse();
  }

  /** Marks events as seen, only after all pages were read: when a page fails, no event is lost. */
  #remember(fresh: readonly ReceivedEvent[]): void {
    for (const { id } of fresh) this.#seen.add(id);
    const newest = fresh[0];
    if (newest && newest.id > this.#newest) {
      this.#newest = newest.id;
      this.#newestAt = performance.now();
      this.#raise(lateBefore(newest.created));
    } else if (this.#newest !== '' && performance.now() - this.#newestAt > LATE_MS) this.#raise(this.#newest);
  }

  #raise(floor: string): void {
    if (floor <= this.#floor) return;
    this.#floor = floor;
    this.#seen = new Set([...this.#seen].filter((id) => id >= floor));
  }
}

function lateBefore(created: string): string {
  return lowestIdAt('evt', 'sandbox', Date.parse(created) - LATE_MS);
}

function receivedEvents(
  items: readonly { id: string; event: string; created: string; data: Record<string, unknown> }[],
  sequences: string,
) {
  const numbers = sequences.split(',').map(Number);
  return items.map((body, i): ReceivedEvent => {
    return { id: body.id, type: body.event, sequence: numbers[i] ?? 0, created: body.created, body };
  });
}
