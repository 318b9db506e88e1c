import type { Book } from './book.ts';
import type { CallbackSender } from './callbacks.ts';
import { type Answer, jsonOf, type SimulatorRoute } from './calls.ts';
import { NORMAL_FORM, type StatementForm, alterStatement, statementOf, writeStatement } from './statement.ts';
import { FAULTS, type Fault, type Faults, MANNERS, type Manner, PROFILES, type Profile } from './faults.ts';

/** The parts of the simulator that the control routes may change. */
interface Controlled {
  book: Book;
  faults: Faults;
  callbacks: CallbackSender;
  settings: Map<string, string>;
  statement?: StatementForm | undefined;
  recover(): void;
  outage(ms: number): void;
}

/**
 * Returns the control routes `/_simulator/*`, by which other processes inspect and control a simulator. Each also has its former
 * address `/_twin/*`.
 */
export function controlRoutes(simulator: Controlled): SimulatorRoute[] {
  const { book, faults, settings } = simulator;
  const state = () => ok({ seed: faults.seed, profile: faults.profile, counts: faults.counts() });
  const routes: SimulatorRoute[] = [
    {
      method: 'GET',
      path: '/_simulator/book',
      doing: 'other',
      answer: () => ok({ entries: book.entries(), moved: book.moved() }),
    },
    { method: 'GET', path: '/_simulator/statement.csv', doing: 'other', answer: ({ query }) => statement(simulator, query) },
    { method: 'GET', path: '/_simulator/callbacks', doing: 'other', answer: () => ok({ sent: simulator.callbacks.sent }) },
    { method: 'GET', path: '/_simulator/faults', doing: 'other', answer: state },
    {
      method: 'POST',
      path: '/_simulator/faults',
      doing: 'other',
      answer: (call) => {
        const wrong = setFaults(faults, jsonOf(call) ?? {});
        return wrong === null ? state() : { status: 422, body: { message: wrong } };
      },
    },
    {
      method: 'POST',
      path: '/_simulator/recover',
      doing: 'other',
      answer: () => {
        simulator.recover();
        return state();
      },
    },
    {
      method: 'POST',
      path: '/_simulator/outage',
      doing: 'other',
      answer: (call) => {
        const ms = jsonOf(call)?.ms;
        if (typeof ms !== 'number' || !(ms > 0)) return { status: 422, body: { message: 'ms: a number above 0' } };
        simulator.outage(ms);
        return ok({});
      },
    },
    {
      method: 'POST',
      path: '/_simulator/settings',
      doing: 'other',
      answer: (call) => {
        for (const [name, value] of Object.entries(jsonOf(call) ?? {})) settings.set(name, String(value));
        return ok(Object.fromEntries(settings));
      },
    },
  ];
  return routes.flatMap((route) => [route, { ...route, path: route.path.replace('/_simulator/', '/_twin/') }]);
}

/**
 * Returns the statement of completed operations in the provider's format. `?breaks=2&seed=7` inserts two breaks of
 * each kind and lists them.
 */
function statement({ book, statement: form = NORMAL_FORM }: Controlled, query: URLSearchParams): Answer {
  const [breaks, seed] = [Number(query.get('breaks') ?? 0), Number(query.get('seed') ?? 1)];
  const { entries, injected } = alterStatement(statementOf(book), breaks, seed);
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'x-simulator-breaks': JSON.stringify(injected),
    'x-twin-breaks': JSON.stringify(injected),
  };
  return { status: 200, headers, body: writeStatement(entries, form) };
}

/**
 * Applies `{profile}`, `{fault, name?, doing?, times?}` or `{callbacks, name?}`.
 * @returns the error in it, or null
 */
function setFaults(faults: Faults, request: Record<string, unknown>): string | null {
  const { profile, fault, callbacks, name = '', doing = 'create', times = 1 } = request;
  if (typeof name !== 'string' || typeof times !== 'number') return 'name: a text; times: a number';
  if (profile !== undefined) {
    if (!PROFILES.includes(profile as Profile)) return `profile: one of ${PROFILES.join(', ')}`;
    faults.setProfile(profile as Profile);
  }
  if (callbacks !== undefined) {
    if (!MANNERS.includes(callbacks as Manner)) return `callbacks: one of ${MANNERS.join(', ')}`;
    faults.announce(callbacks as Manner, name);
  }
  if (fault !== undefined) {
    if (fault !== 'none' && !FAULTS.some((known) => known === fault)) return `fault: one of none, ${FAULTS.join(', ')}`;
    if (doing !== 'create' && doing !== 'read' && doing !== 'other') return 'doing: create, read or other';
    faults.script({ fault: fault as Fault, name, doing, times });
  }
  return null;
}

/** Amounts are sent as text, because JSON has no exact large numbers. */
function ok(body: object): Answer {
  const text = JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  return { status: 200, headers: { 'content-type': 'application/json' }, body: text };
}
