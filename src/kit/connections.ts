import { createRequire } from 'node:module';
import type { buildConnector, Client, Dispatcher } from 'undici';

const load = createRequire(import.meta.url);

/** One request; undici's lowest interface. */
type Request = Dispatcher.DispatchOptions;
type Handler = Dispatcher.DispatchHandler;

/** The connections to one origin. */
interface Origin {
  clients: Set<Client>;
  /** Those without a request. The one that was used last is used next, so that the others can time out. */
  free: Client[];
  waiting: { request: Request; handler: Handler }[];
}

/**
 * Sends requests over kept connections, one request at a time on each. It does what undici's `Agent` and `Pool` do for requests of this
 * kind; they took a third of the CPU time of a request (docs/performance.md). A connection is opened when none is free, and closed by
 * undici when it was idle or failed.
 */
export class Connections {
  readonly #connect: buildConnector.connector;
  readonly #per_origin: number;
  readonly #origins = new Map<string, Origin>();

  /**
   * @param connect opens and checks each connection
   * @param per_origin maximum connections to one origin; further requests wait
   */
  constructor(connect: buildConnector.connector, per_origin: number) {
    this.#connect = connect;
    this.#per_origin = per_origin;
  }

  /** Number of open connections, and of those that are being opened. */
  get size(): number {
    return [...this.#origins.values()].reduce((sum, { clients }) => sum + clients.size, 0);
  }

  /** Sends a request. The handler's `onResponseEnd` or `onResponseError` is called exactly once; neither may throw. */
  dispatch(name: string, request: Request, handler: Handler): void {
    const origin = this.#originOf(name);
    const client = origin.free.pop() ?? this.#open(name, origin);
    if (client) this.#send(origin, client, request, handler);
    else origin.waiting.push({ request, handler });
  }

  async close(): Promise<void> {
    const clients = [...this.#origins.values()].flatMap((origin) => [...origin.clients]);
    await Promise.all(clients.map((client) => client.destroy()));
  }

  #originOf(name: string): Origin {
    let origin = this.#origins.get(name);
    if (!origin) {
      origin = { clients: new Set(), free: [], waiting: [] };
      this.#origins.set(name, origin);
    }
    return origin;
  }

  #open(name: string, origin: Origin): Client | undefined {
    if (origin.clients.size >= this.#per_origin) return undefined;
    const { Client } = load('undici') as typeof import('undici'); // here, because most processes send nothing
    // undici's timeouts are off because the caller has a deadline. HTTP/1.1 only: there "started" and "written" coincide.
    const options = { pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect: this.#connect };
    const client = new Client(name, options);
    const forget = () => this.#forget(name, origin, client);
    client.on('disconnect', forget).on('connectionError', forget);
    origin.clients.add(client);
    return client;
  }

  #send(origin: Origin, client: Client, request: Request, handler: Handler): void {
    client.dispatch(request, new Returning(handler, () => this.#release(origin, client)));
  }

  #release(origin: Origin, client: Client): void {
    const next = origin.waiting.shift();
    if (!next) origin.free.push(client);
    // Not at once: undici reports a failure before it is ready for another request.
    else queueMicrotask(() => this.#send(origin, client, next.request, next.handler));
  }

  /** Called when a connection has ended. A client with a request opens another; a free one is not needed. */
  #forget(name: string, origin: Origin, client: Client): void {
    const place = origin.free.indexOf(client);
    if (place < 0) return;
    origin.free.splice(place, 1);
    origin.clients.delete(client);
    if (origin.clients.size === 0) this.#origins.delete(name);
  }
}

/** A handler whose end frees its connection: afterwards, so that a request sent by the handler itself gets another. */
class Returning implements Handler {
  readonly #handler: Handler;
  readonly #ended: () => void;

  constructor(handler: Handler, ended: () => void) {
    this.#handler = handler;
    this.#ended = ended;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    this.#handler.onResponseStart?.(controller, status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Record<string, string | string[]>): void {
    this.#handler.onResponseEnd?.(controller, trailers);
    this.#ended();
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(controller, error);
    this.#ended();
  }
}
