import type { Send } from '../../kit/fetch.ts';
import type { Log } from '../../kit/log.ts';
import { otlpJson } from './otlp.ts';
import type { TracingSettings } from '../config/tracing.ts';
import type { Ended } from './tracer.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 512;
/** Limits the memory used while the collector is unavailable; further spans are dropped. */
const MAX_WAITING = 4_096;
const TIMEOUT_MS = 5_000;
const COMPLAIN_EVERY_MS = 60_000;

/**
 * Sends ended spans in batches to a collector (OTLP over HTTP, as JSON). Rejected spans are dropped; nothing waits for the
 * export.
 */
export class Exporter {
  readonly #settings: TracingSettings;
  readonly #send: Send;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #waiting: Ended[] = [];
  #dropped = 0;
  #complained = -COMPLAIN_EVERY_MS;
  #flushing: Promise<void> | null = null;

  constructor(settings: TracingSettings, send: Send, log: Log) {
    this.#settings = settings;
    this.#send = send;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), EVERY_MS).unref();
  }

  add(span: Ended): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= AT_ONCE) void this.flush();
  }

  /** Sends the waiting spans, one batch at a time. */
  flush(): Promise<void> {
    this.#flushing ??= this.#sendAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
    await this.flush();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, AT_ONCE);
      const result = await this.#send({
        method: 'POST',
        url: this.#settings.url,
        guard: 'none',
        headers: { ...this.#settings.headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(otlpJson(this.#settings.service, batch)),
        timeout_ms: TIMEOUT_MS,
        max_bytes: 4_096,
      });
      if (result.kind === 'answered' && result.status < 300) continue;
      this.#dropped += batch.length + this.#waiting.length;
      this.#waiting = [];
      this.#complain(result.kind === 'answered' ? `status ${result.status}` : result.error);
    }
  }

  #complain(reason: string): void {
    const now = performance.now();
    if (now - this.#complained < COMPLAIN_EVERY_MS) return;
    this.#complained = now;
    this.#log.warn({ reason, spans: this.#dropped }, 'traces could not be sent and were dropped');
  }
}
