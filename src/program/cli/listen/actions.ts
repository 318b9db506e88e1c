import { setTimeout as sleep } from 'node:timers/promises';
import { subscriptionsOf, type EventType } from '../../../money/events/catalogue.ts';
import { type Answer, type Api, openApi, RequestError } from '../api.ts';
import type { ApiOptions } from '../api-options.ts';
import { accepted, type Forwarded, forward, nobodyListens } from './forward.ts';
import { listeningSecret } from './secret.ts';
import { EventTail, type ReceivedEvent } from './tail.ts';

interface ListenOptions extends ApiOptions {
  forwardTo?: string;
  events?: string[];
  since?: string;
  json?: true;
}

/** Interval of polling. It leaves two thirds of the key's rate limit to the merchant's own calls. */
const POLL_MS = 2_000;
/** Waits between retries of an event. A receiver that restarts should be available again within them. */
const RETRY_MS = [1_000, 2_000, 4_000];

/**
 * Prints and forwards events until a signal. Retries failures of the service and of the receiver, and keeps the order of
 * events.
 */
export async function listenCommand(options: ListenOptions): Promise<void> {
  const api = openApi(options);
  const listener = new Listener(options, listeningSecret(api.key));
  const stop = stopAsked();
  const tail = await EventTail.start(
    (path) => api.call('GET', path),
    (path) => withRetries(api, path, stop),
    options.since ?? null,
  );
  await listener.greet();
  try {
    for (;;) {
      const events = await tail.more();
      for (const event of events) await listener.handle(event, stop);
      await pause(POLL_MS, stop);
      stop.throwIfAborted();
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  listener.bid();
}

/** Returns a signal that the first SIGINT, SIGTERM or SIGHUP aborts. A second one ends the process at once. */
function stopAsked(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

/** Calls the service until it answers. Gives up only on errors that a retry cannot resolve. */
async function withRetries(api: Api, path: string, stop: AbortSignal): Promise<Answer> {
  let reported = false;
  for (;;) {
    stop.throwIfAborted();
    try {
      const answer = await api.call('GET', path);
      if (reported) console.error('the service responds again');
      return answer;
    } catch (error) {
      if (!(error instanceof RequestError) || error.wait_ms === null) throw error;
      if (!reported) console.error(`${error.message}: retrying, stop with Ctrl-C`);
      reported = true;
      await pause(error.wait_ms, stop);
    }
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop }).catch(() => {});
}

/** Prints received events and forwards them. */
class Listener {
  readonly #options: ListenOptions;
  readonly #secret: string;
  #received = 0;
  #failed = 0;
  #last: ReceivedEvent | null = null;
  /** False after an event was given up: until one is accepted, each is tried once, so that none waits for a dead receiver. */
  #retrying = true;
  /** Whether it was reported that nothing listens at the address. */
  #absence = false;

  constructor(options: ListenOptions, secret: string) {
    this.#options = options;
    this.#secret = secret;
  }

  async greet(): Promise<void> {
    const { forwardTo, json } = this.#options;
    const forwarding = forwardTo ? `\nEvents are forwarded to ${forwardTo}, signed with ${this.#secret}` : '';
    say(
      json
        ? JSON.stringify({ listening: true, forward_to: forwardTo ?? null, secret: this.#secret })
        : `Listening to the sandbox; stop with Ctrl-C.${forwarding}`,
    );
    if (forwardTo && (await nobodyListens(forwardTo))) this.#reportAbsence(forwardTo);
  }

  /** Delivers an event. Returns when the receiver has accepted it or all retries have failed. */
  async handle(event: ReceivedEvent, stop: AbortSignal): Promise<void> {
    if (!wanted(event.type, this.#options.events)) return;
    const { forwardTo } = this.#options;
    if (!forwardTo) this.#print(event, null);
    if (forwardTo) await this.#deliver(event, forwardTo, stop);
    this.#received++;
    this.#last = event;
  }

  async #deliver(event: ReceivedEvent, address: string, stop: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      stop.throwIfAborted();
      const result = await forward(address, this.#secret, event);
      this.#print(event, result);
      if (result.error === 'refused') this.#reportAbsence(address);
      else this.#absence = false;
      const done = accepted(result);
      const wait = this.#retrying ? RETRY_MS[attempt] : undefined;
      if (done || wait === undefined) {
        this.#retrying = done;
        if (!done) this.#giveUp(event, address);
        return;
      }
      await pause(wait, stop);
    }
  }

  #giveUp(event: ReceivedEvent, address: string): void {
    this.#failed++;
    console.error(`given up; when the receiver works again: pirogue events resend ${event.id} --forward-to ${address}`);
  }

  /** Reports once that nothing listens at the address, until a request there succeeds again. */
  #reportAbsence(address: string): void {
    if (!this.#absence) {
      console.error(
        `nothing listens at ${address} (connection refused): start your server there, or give its address with --forward-to`,
      );
    }
    this.#absence = true;
  }

  bid(): void {
    if (this.#options.json) return;
    const failed = this.#failed > 0 ? `, ${this.#failed} not accepted` : '';
    const next = this.#last ? `; continue with --since ${this.#last.id}` : '';
    say(`${this.#received} events${failed}${next}`);
  }

  #print({ id, type, created, sequence, body }: ReceivedEvent, result: Forwarded | null): void {
    const resource = String(body.data.id ?? '');
    const outcome = result ? `  → ${result.status ?? textOf(result.error)} (${result.duration_ms} ms)` : '';
    say(
      this.#options.json
        ? JSON.stringify({ event: id, type, created, sequence, resource, ...result })
        : `${created}  ${type.padEnd(26)}  ${id}  ${resource}${outcome}`,
    );
  }
}

function textOf(error: string | null): string {
  return error === 'refused' ? 'connection refused' : String(error);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wanted(type: string, only: readonly string[] | undefined): boolean {
  return !only || subscriptionsOf(type as EventType).some((name) => only.includes(name));
}
