import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './book.ts';
import { CallbackSender, type Compose } from './callbacks.ts';
import { type Answer, type Call, matchRoute, readBody, type SimulatorRoute } from './calls.ts';
import { controlRoutes } from './control.ts';
import { Operations } from './operations.ts';
import { type Fault, Faults, type Profile } from './faults.ts';
import { Timers } from './timers.ts';
import type { StatementForm } from './statement.ts';
import { sendAnswer } from './wire.ts';

/** The dependencies available to a provider's simulator. */
export interface Kit {
  book: Book;
  faults: Faults;
  operations: Operations;
  timers: Timers;
  /** Settings a merchant makes on the provider's own site, by name: `callback_url` and others. */
  settings: Map<string, string>;
  options: SimulatorOptions;
}

/** The provider-specific part of a simulator. */
export interface Wire {
  routes: readonly SimulatorRoute[];
  /** Returns the keys and numbers in a request, so that a fault can be scripted for one of them. */
  namesOf(call: Call): string[];
  compose: Compose;
  /** The provider's responses to faults that can occur on every request. */
  answers: { throttled: Answer; unauthorised: Answer; broken: Answer; missing: Answer };
}

/** One kind of provider simulator. Each folder beside this one exports one. */
export interface SimulatorKind {
  /** The name of the connector. */
  readonly name: string;
  /** Callbacks go to the account's address (setting `callback_url`), not to the address in each request. */
  readonly dashboard_callbacks?: true;
  /** The statement format, where it is known. */
  readonly statement?: StatementForm;
  /** Returns the credentials of an account at the simulator. `url` is its base URL. */
  credentials(url: string): Record<string, string>;
  wire(kit: Kit): Wire;
}

export interface SimulatorOptions {
  /** Port number; 0: any free port. */
  port: number;
  seed: number;
  profile: Profile;
  /** Time for which operations are pending, in milliseconds. */
  delay_ms: number;
  /** Duration of a slow response: longer than the caller's deadline. */
  slow_ms: number;
  /** Maximum lag of a status endpoint. */
  lag_ms: number;
  settings: Record<string, string>;
  /** Returns the provider's time in milliseconds since the epoch. Signatures are dated by it. */
  now(): number;
}

/** Short enough for tests, long enough to be observable. */
export const SIMULATOR_DEFAULTS: SimulatorOptions = {
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
export interface Simulator {
  readonly name: string;
  readonly url: string;
  readonly credentials: Record<string, string>;
  readonly book: Book;
  readonly faults: Faults;
  readonly callbacks: CallbackSender;
  readonly settings: Map<string, string>;
  /** Requests to the provider's API that were answered or dropped. */
  readonly requests: { method: string; path: string; fault: Fault }[];
  /** Returns the kind of a request; undefined when there is no such address. */
  doingOf(method: string, path: string): SimulatorRoute['doing'] | undefined;
  /** Ends all faults, resumes stuck operations and shows hidden ones. */
  recover(): void;
  /** Closes the port: connections are refused. */
  closePort(): Promise<void>;
  openPort(): Promise<void>;
  /** Resolves when nothing is in progress: no request, no callback and no pending operation, except stuck ones. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const REMEMBERED_REQUESTS = 10_000;

/**
 * Starts a simulator on loopback.
 * @throws when its port is taken
 */
export async function startSimulator(kind: SimulatorKind, given: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const options = { ...SIMULATOR_DEFAULTS, ...given };
  const timers = new Timers();
  const book = new Book();
  const faults = new Faults(options);
  const settings = new Map(Object.entries(options.settings));
  // Circular dependency: the operations need the callbacks, these need the wire, and the wire needs the operations.
  const callbacks: CallbackSender = new CallbackSender(
    (entry, content) => wire.compose(entry, content),
    timers,
    options.delay_ms,
  );
  const operations = new Operations({ book, faults, timers, callbacks, delay_ms: options.delay_ms, lag_ms: options.lag_ms });
  const wire = kind.wire({ book, faults, operations, timers, settings, options });
  const requests: Simulator['requests'] = [];
  const recover = () => {
    faults.recover();
    operations.recover();
  };
  const port = new Port((request, response) => respond(request, response));
  const control = controlRoutes({
    book,
    faults,
    callbacks,
    settings,
    statement: kind.statement,
    recover,
    outage: (ms) => port.outage(ms, timers),
  });

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
    const method = request.method ?? 'GET';
    const body = await readBody(request);
    const isControl = /^\/_(?:simulator|twin)\//.test(pathname);
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
    ...{ name: kind.name, url, credentials: kind.credentials(url), book, faults, callbacks, settings, requests, recover },
    doingOf: (method, path) => matchRoute(wire.routes, method, path)?.route.doing,
    closePort: () => port.close(),
    openPort: async () => {
      await port.open(number);
    },
    idle: async () => {
      while (port.under_way + operations.under_way + callbacks.under_way > 0) await sleep(5);
    },
    stop: async () => {
      timers.stop();
      await port.close();
    },
  };
}

/** Returns the provider's response. The transport decides whether the caller receives it. */
async function answerOf(route: SimulatorRoute | undefined, call: Call, wire: Wire, slowly: () => Promise<void>): Promise<Answer> {
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

/** The listening socket. It can be closed and opened again. */
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

  /** Closes the port for a while. The response to the current request is sent first. */
  outage(ms: number, timers: Timers): void {
    timers.after(20, () => {
      void this.close();
      timers.after(ms, () => void this.open(this.#number));
    });
  }
}
