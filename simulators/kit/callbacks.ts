import type { Minor } from '../../src/kit/money.ts';
import type { Entry } from './book.ts';
import type { Manner } from './faults.ts';
import type { Timers } from './timers.ts';

/** A callback as sent over HTTP. */
export interface CallbackRequest {
  method: 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The content of a callback. */
export interface CallbackContent {
  /** `interim`: an operation is still pending. */
  stage: 'interim' | 'final';
  amount_minor: Minor;
  /** Set for a callback with a wrong signature. */
  forged: boolean;
}

/** Composes a callback, or returns null when there is no address for it. */
export type Compose = (entry: Entry, content: CallbackContent) => CallbackRequest | null;

/** One callback that was sent. `status` is null when there was no response. */
export interface SentCallback {
  key: string;
  manner: Manner;
  stage: CallbackContent['stage'];
  status: number | null;
}

const DEADLINE_MS = 30_000;
const TRIES = 3;
/** Maximum number of callbacks to record: a storm may run for hours. */
const REMEMBERED = 10_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Sends callbacks in the selected manner, to this machine only: a simulator must not call other hosts. */
export class CallbackSender {
  readonly #compose: Compose;
  readonly #timers: Timers;
  readonly #pause_ms: number;
  readonly sent: SentCallback[] = [];
  #under_way = 0;

  /** @param pause_ms delay between repetitions and between retries */
  constructor(compose: Compose, timers: Timers, pause_ms: number) {
    this.#compose = compose;
    this.#timers = timers;
    this.#pause_ms = pause_ms;
  }

  get under_way(): number {
    return this.#under_way;
  }

  announce(entry: Entry, manner: Manner): Promise<void> {
    return this.#sendAll(entry, manner, contentsOf(entry, manner));
  }

  /** Sends a callback for a pending operation. */
  interim(entry: Entry): Promise<void> {
    return this.#sendAll(entry, 'once', [{ stage: 'interim', amount_minor: entry.amount_minor, forged: false }]);
  }

  async #sendAll(entry: Entry, manner: Manner, contents: CallbackContent[]): Promise<void> {
    this.#under_way++;
    try {
      for (const [nth, content] of contents.entries()) {
        if (nth > 0) await this.#timers.wait(this.#pause_ms);
        await this.#send(entry, manner, content);
      }
    } finally {
      this.#under_way--;
    }
  }

  async #send(entry: Entry, manner: Manner, content: CallbackContent): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries++) {
      const announcement = this.#compose(entry, content);
      if (!announcement || !LOOPBACK.test(new URL(announcement.url).hostname)) return;
      const status = await post(announcement);
      if (this.sent.length < REMEMBERED) this.sent.push({ key: entry.key, manner, stage: content.stage, status });
      if (status !== null && status < 300) return;
      if (tries < TRIES) await this.#timers.wait(this.#pause_ms * tries);
    }
  }
}

function contentsOf({ amount_minor }: Entry, manner: Manner): CallbackContent[] {
  const final: CallbackContent = { stage: 'final', amount_minor, forged: false };
  switch (manner) {
    case 'none':
      return [];
    case 'once':
    case 'early':
      return [final];
    case 'repeated':
      return [final, final, final];
    case 'out_of_order':
      return [final, { ...final, stage: 'interim' }];
    case 'wrong_signature':
      return [{ ...final, forged: true }];
    case 'other_amount':
      return [{ ...final, amount_minor: amount_minor + 100n }];
  }
}

async function post({ url, ...request }: CallbackRequest): Promise<number | null> {
  try {
    const answer = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}
