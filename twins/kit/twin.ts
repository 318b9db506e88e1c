import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './book.ts';
import { Announcer, type Compose } from './callbacks.ts';
import { type Answer, type Call, matchRoute, readBody, type TwinRoute } from './calls.ts';
import { controlRoutes } from './control.ts';
import { Desk } from './desk.ts';
import { type Fault, Faults, type Profile } from './faults.ts';
import { Timers } from './timers.ts';
import type { StatementForm } from './statement.ts';
import { sendAnswer } from './wire.ts';

/** What a provider's simulator may use. */
export interface Kit {
  book: Book;
  faults: Faults;
  desk: Desk;
  timers: Timers;
  /** What a merchant sets on the provider's own site, by name: `callback_url` and the like. */
  settings: Map<string, string>;
  options: TwinOptions;
}

/** A provider's side of the wire. */
export interface Wire {
  routes: readonly TwinRoute[];
  /** The keys and numbers a request names, so that a fault can be scripted for one of them. */
  namesOf(call: Call): string[];
  compose: Compose;
  /** Its answers to what can befall every request. */
  answers: { throttled: Answer; unauthorised: Answer; broken: Answer; missing: Answer };
}

/** One kind of provider simulator: a folder beside this one exports it. */
export interface TwinKind {
  /** As the connector is called. */
  readonly name: string;
  /** Callbacks go where the account says (setting `callback_url`), not where each request says. */
  readonly dashboard_callbacks?: true;
  /** How its statements are written, where that is known. */
  readonly statement?: StatementForm;
  /** What an account at the twin is used with; `url` is its base URL. */
  credentials(url: string): Record<string, string>;
  wire(kit: Kit): Wire;
}

export interface TwinOptions {
  /** 0: any that is free. */
  port: number;
  seed: number;
  profile: Profile;
  /** How long things are under way. */
  delay_ms: number;
  /** How long a slow answer takes: longer than the caller's deadline. */
  slow_ms: number;
  /** How long a status page may lag. */
  lag_ms: number;
  settings: Record<string, string>;
  /** What the provider's clock says, in milliseconds since the epoch: signatures are dated by it. */
  now(): number;
}

/** Quick enough for tests, slow enough to be seen. */
export const TWIN_DEFAULTS: TwinOptions = {
  port: 0,
  seed: 1,
  profile: 'calm',
  delay_ms: 50,
  slow_ms: 2_500,
  lag_ms: 60_000,
  settings: {},
  now: () => Date.now(),
};

/** A running simulator. */
export interface Twin {
  readonly name: string;
  readonly url: string;
  readonly credentials: Record<string, string>;
  readonly book: Book;
  readonly faults: Faults;
  readonly announcer: Announcer;
  readonly settings: Map<string, string>;
  /** Requests of the provider's own wire that were answered or dropped. */
  readonly requests: { method: string; path: string; fault: Fault }[];
  /** What a request to it does; undefined: there is no such address. */
  doingOf(method: string, path: string): TwinRoute['doing'] | undefined;
  /** No fault any more; what is stuck goes on, what is hidden shows. */
  recover(): void;
  /** Nobody listens any more: connections are refused. */
  closePort(): Promise<void>;
  openPort(): Promise<void>;
  /** When nothing is under way: no request, no callback, nothing on its way to its end (stuck things aside). */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const REMEMBERED_REQUESTS = 10_000;

/** Starts a simulator on loopback. Everything that can fail does so before it comes back. */
export async function startTwin(kind: TwinKind, given: Partial<TwinOptions> = {}): Promise<Twin> {
  const options = { ...TWIN_DEFAULTS, ...given };
  const timers = new Timers();
  const book = new Book();
  const faults = new Faults(options);
  const settings = new Map(Object.entries(options.settings));
  // The desk needs the announcer, which needs the wire, which needs the desk.
  const announcer: Announcer = new Announcer((entry, saying) => wire.compose(entry, saying), timers, options.delay_ms);
  const desk = new Desk({ book, faults, timers, announcer, delay_ms: options.delay_ms, lag_ms: options.lag_ms });
  const wire = kind.wire({ book, faults, desk, timers, settings, options });
  const requests: Twin['requests'] = [];
  const recover = () => {
    faults.recover();
    desk.recover();
  };
  const port = new Port((request, response) => respond(request, response));
  const control = controlRoutes({
    book,
    faults,
    announcer,
    settings,
    statement: kind.statement,
    recover,
    outage: (ms) => port.outage(ms, timers),
  });

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://twin');
    const method = request.method ?? 'GET';
    const body = await readBody(request);
    const isControl = pathname.startsWith('/_twin/');
    const found = matchRoute(isControl ? control : wire.routes, method, pathname);
    const call: Call = {
      ...{ method, path: pathname, params: found?.params ?? {}, query: searchParams, headers: request.headers, body },
      fault: 'none',
    };
    if (isControl) {
      sendAnswer(response, found ? await found.route.answer(call) : wire.answers.missing, 'none', wire.answers.broken);
      return;
    }
    call.fault = found ? faults.next(found.route.doing, wire.namesOf(call)) : 'none';
    if (requests.length < REMEMBERED_REQUESTS) requests.push({ method, path: pathname, fault: call.fault });
    const answer = await answerOf(found?.route, call, wire, () => timers.wait(options.slow_ms));
    sendAnswer(response, answer, call.fault, wire.answers.broken);
  };

  const number = await port.open(options.port);
  const url = `http://127.0.0.1:${number}`;
  return {
    ...{ name: kind.name, url, credentials: kind.credentials(url), book, faults, announcer, settings, requests, recover },
    doingOf: (method, path) => matchRoute(wire.routes, method, path)?.route.doing,
    closePort: () => port.close(),
    openPort: async () => {
      await port.open(number);
    },
    idle: async () => {
      while (port.under_way + desk.under_way + announcer.under_way > 0) await sleep(5);
    },
    stop: async () => {
      timers.stop();
      await port.close();
    },
  };
}

/** What the provider would say; whether the caller gets to hear it is the wire's business. */
async function answerOf(route: TwinRoute | undefined, call: Call, wire: Wire, slowly: () => Promise<void>): Promise<Answer> {
  const { fault } = call;
  if (!route) return wire.answers.missing;
  if (fault === 'throttled') return wire.answers.throttled;
  if (fault === 'token_expired') return wire.answers.unauthorised;
  if (fault === 'slow_uncreated') await slowly();
  if (fault.endsWith('_uncreated')) return wire.answers.broken;
  if (fault === 'late_created') await slowly();
  const answer = await route.answer(call);
  if (fault === 'slow_created') await slowly();
  return answer;
}

/** The listening socket, which can be closed and opened again. */
class Port {
  readonly #respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  #server: Server | null = null;
  #number = 0;
  under_way = 0;

  constructor(respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
    this.#respond = respond;
  }

  async open(number: number): Promise<number> {
    const server = createServer((request, response) => {
      this.under_way++;
      this.#respond(request, response)
        .catch(() => response.socket?.destroy())
        .finally(() => this.under_way--);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(number, '127.0.0.1', () => resolve());
    });
    this.#server = server;
    this.#number = (server.address() as { port: number }).port;
    return this.#number;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Closed for a while. The answer to whoever asked for it leaves first. */
  outage(ms: number, timers: Timers): void {
    timers.after(20, () => {
      void this.close();
      timers.after(ms, () => void this.open(this.#number));
    });
  }
}
