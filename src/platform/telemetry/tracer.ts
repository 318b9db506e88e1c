import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Exporter } from './exporter.ts';

/** Attributes of a span: bounded in number, and without payers' data. */
export type Attributes = Record<string, string | number>;

export type Kind = 'server' | 'client' | 'internal';

/** An ended span, as exported. */
export interface Ended {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  name: string;
  kind: Kind;
  /** Milliseconds since the epoch, with fractions. */
  start_ms: number;
  end_ms: number;
  attributes: Attributes;
  /** Null when it succeeded. */
  error: string | null;
}

interface Begun {
  trace_id: string;
  span_id?: string;
  parent_id: string | null;
  sampled: boolean;
  name: string;
  kind: Kind;
}

/** An operation in progress. */
export class Span {
  readonly #begun: Begun & { span_id: string };
  readonly #start_ms = now();
  readonly #ended: (span: Ended) => void;

  constructor(begun: Begun, ended: (span: Ended) => void) {
    this.#begun = { ...begun, span_id: begun.span_id ?? randomBytes(8).toString('hex') };
    this.#ended = ended;
  }

  get trace_id(): string {
    return this.#begun.trace_id;
  }

  get span_id(): string {
    return this.#begun.span_id;
  }

  get sampled(): boolean {
    return this.#begun.sampled;
  }

  /** W3C trace context for outbound calls. */
  get traceparent(): string {
    return `00-${this.trace_id}-${this.span_id}-${this.sampled ? '01' : '00'}`;
  }

  end(attributes: Attributes, error: string | null = null): void {
    const { sampled, ...begun } = this.#begun;
    if (sampled) this.#ended({ ...begun, start_ms: this.#start_ms, end_ms: now(), attributes, error });
  }
}

const PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Creates spans, passes them to the exporter, and tracks the current span of the running code. */
export class Tracer {
  readonly #exporter: Exporter;
  readonly #share: number;
  readonly #current = new AsyncLocalStorage<Span>();

  /** @param share share of the traces started here that is sampled */
  constructor(exporter: Exporter, share: number) {
    this.#exporter = exporter;
    this.#share = share;
  }

  /**
   * Starts the span of a request.
   * @param tracing ids already assigned to the request
   * @param sent the received traceparent header, if any
   */
  serve(name: string, tracing: { trace_id: string; traceparent: string }, sent: unknown): Span {
    const parent = typeof sent === 'string' && sent.includes(tracing.trace_id) ? PARENT.exec(sent) : null;
    const sampled = parent ? (Number.parseInt(parent[2] as string, 16) & 1) === 1 : this.#keeps(tracing.trace_id);
    const span_id = tracing.traceparent.split('-')[2] as string;
    return this.#begin({ trace_id: tracing.trace_id, span_id, parent_id: parent?.[1] ?? null, sampled, name, kind: 'server' });
  }

  /** Starts a child of the current span, or a new trace when there is none. */
  start(name: string, kind: Kind): Span {
    const parent = this.#current.getStore();
    if (parent) return this.#begin({ trace_id: parent.trace_id, parent_id: parent.span_id, sampled: parent.sampled, name, kind });
    const trace_id = randomBytes(16).toString('hex');
    return this.#begin({ trace_id, parent_id: null, sampled: this.#keeps(trace_id), name, kind });
  }

  /** Whether the current code runs in a sampled span. Background rounds are not traced, because they run every second. */
  get inside(): boolean {
    return this.#current.getStore()?.sampled ?? false;
  }

  /** Runs work with the span as current span. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work);
  }

  /** Exports the remaining spans. */
  close(): Promise<void> {
    return this.#exporter.close();
  }

  #begin(begun: Begun): Span {
    return new Span(begun, (ended) => this.#exporter.add(ended));
  }

  /** Returns whether a trace is sampled. It depends on the trace id, so that every process makes the same decision. */
  #keeps(trace_id: string): boolean {
    return Number.parseInt(trace_id.slice(-13), 16) < this.#share * 2 ** 52;
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
