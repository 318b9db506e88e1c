import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Exporter } from './exporter.ts';

/** What a span tells beside its times: bounded in number, and never a payer's data. */
export type Attributes = Record<string, string | number>;

export type Kind = 'server' | 'client' | 'internal';

/** A span that has ended, as it is sent. */
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
  /** Null: it went well. */
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

/** One piece of work under way. */
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

  /** W3C trace context for whoever is called on the way. */
  get traceparent(): string {
    return `00-${this.trace_id}-${this.span_id}-${this.sampled ? '01' : '00'}`;
  }

  end(attributes: Attributes, error: string | null = null): void {
    const { sampled, ...begun } = this.#begun;
    if (sampled) this.#ended({ ...begun, start_ms: this.#start_ms, end_ms: now(), attributes, error });
  }
}

const PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Makes spans and hands them to the exporter; knows which span the running code belongs to. */
export class Tracer {
  readonly #exporter: Exporter;
  readonly #share: number;
  readonly #current = new AsyncLocalStorage<Span>();

  /** @param share of the traces begun here that are kept */
  constructor(exporter: Exporter, share: number) {
    this.#exporter = exporter;
    this.#share = share;
  }

  /** The span of a request. @param tracing its ids, already answered with @param sent the header that came, if any */
  serve(name: string, tracing: { trace_id: string; traceparent: string }, sent: unknown): Span {
    const parent = typeof sent === 'string' && sent.includes(tracing.trace_id) ? PARENT.exec(sent) : null;
    const sampled = parent ? (Number.parseInt(parent[2] as string, 16) & 1) === 1 : this.#keeps(tracing.trace_id);
    const span_id = tracing.traceparent.split('-')[2] as string;
    return this.#begin({ trace_id: tracing.trace_id, span_id, parent_id: parent?.[1] ?? null, sampled, name, kind: 'server' });
  }

  /** A span below the running one; the first of a trace when none runs. */
  start(name: string, kind: Kind): Span {
    const parent = this.#current.getStore();
    if (parent) return this.#begin({ trace_id: parent.trace_id, parent_id: parent.span_id, sampled: parent.sampled, name, kind });
    const trace_id = randomBytes(16).toString('hex');
    return this.#begin({ trace_id, parent_id: null, sampled: this.#keeps(trace_id), name, kind });
  }

  /** Whether anything runs that a span could tell of: background rounds look every second and are not told. */
  get inside(): boolean {
    return this.#current.getStore()?.sampled ?? false;
  }

  /** Runs work as part of the span. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work);
  }

  /** Sends what is left. */
  close(): Promise<void> {
    return this.#exporter.close();
  }

  #begin(begun: Begun): Span {
    return new Span(begun, (ended) => this.#exporter.add(ended));
  }

  /** By the trace's own id, so that every process decides alike. */
  #keeps(trace_id: string): boolean {
    return Number.parseInt(trace_id.slice(-13), 16) < this.#share * 2 ** 52;
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
