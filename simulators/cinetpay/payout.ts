import { randomUUID } from 'node:crypto';
import type { Entry } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import type { Answer, Call, SimulatorRoute } from '../kit/calls.ts';
import type { Kit } from '../kit/simulator.ts';
import { SITE } from './collect.ts';
import { endingOf, transferCode } from './codes.ts';

export const PASSWORD = 'twin-of-cinetpay-password';
const TOKEN_MS = 300_000;
/** Initial balance of the wallet. */
const OPENING_MINOR = 10_000_000_000n;
/** Amount limits of a transfer in francs (annexe, which states them in XOF). The simulator has them in every currency. */
const BOUNDS = [200, 1_500_000] as const;
const CURRENCIES: Record<string, string> = { 237: 'XAF' };
/** Last six digits of numbers that are rejected immediately. */
const REJECTED_SUFFIX = '000005';

/** Returns the routes of the transfer API: tokens, contacts and transfers. */
export function transferRoutes(kit: Kit): SimulatorRoute[] {
  const tokens = new Map<string, number>();
  const contacts = new Set<string>();
  const route = (
    method: string,
    path: string,
    doing: SimulatorRoute['doing'],
    answer: (call: Call) => Answer | Promise<Answer>,
  ): SimulatorRoute => ({
    ...{ method, path: `/v1/transfer${path}`, doing },
    answer: (call) => ((tokens.get(call.query.get('token') ?? '') ?? 0) > Date.now() ? answer(call) : transferCode(706)),
  });
  return [
    { method: 'POST', path: '/v1/auth/login', doing: 'other', answer: (call) => logIn(tokens, call) },
    route('GET', '/check/balance', 'other', () => balance(kit)),
    route('POST', '/contact', 'other', (call) => addContact(contacts, call)),
    route('POST', '/money/send/contact', 'create', (call) => send(kit, contacts, call)),
    route('GET', '/check/money', 'read', ({ query }) => show(kit, query.get('client_transaction_id') ?? '')),
  ];
}

function logIn(tokens: Map<string, number>, call: Call): Answer {
  const form = new URLSearchParams(call.body.toString('utf8'));
  if (form.get('apikey') !== SITE.apikey || form.get('password') !== PASSWORD) return transferCode(701);
  const token = randomUUID();
  tokens.set(token, Date.now() + TOKEN_MS);
  return transferCode(0, { token });
}

function balance({ book }: Kit): Answer {
  const paid = book.moved().filter(({ kind }) => kind === 'payout');
  const available = paid.reduce((rest, { amount_minor }) => rest - amount_minor, OPENING_MINOR) / 100n;
  return transferCode(0, { amount: Number(available), inUsing: 0, available: Number(available) });
}

/** Returns the only entry of the list in a form. */
export function entryIn(call: Call): Record<string, unknown> | null {
  try {
    const list: unknown = JSON.parse(new URLSearchParams(call.body.toString('utf8')).get('data') ?? '');
    const first: unknown = Array.isArray(list) ? list[0] : null;
    return first !== null && typeof first === 'object' ? (first as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function addContact(contacts: Set<string>, call: Call): Answer {
  const { prefix, phone, name, surname, email } = entryIn(call) ?? {};
  if (![prefix, phone, name, surname, email].every((text) => typeof text === 'string' && text !== '')) return transferCode(704);
  const number = `${prefix}${phone}`;
  if (!/^\d{10,14}$/.test(number) || number.endsWith(REJECTED_SUFFIX)) return transferCode(802);
  const code = contacts.has(number) ? 726 : 0;
  contacts.add(number);
  return transferCode(code, [[{ prefix, phone, name, surname, email, code, status: 'success', lot: `L${contacts.size}` }]]);
}

async function send(kit: Kit, contacts: Set<string>, call: Call): Promise<Answer> {
  const { prefix, phone, amount, client_transaction_id, notify_url } = entryIn(call) ?? {};
  const msisdn = `${prefix}${phone}`;
  if (typeof client_transaction_id !== 'string' || client_transaction_id === '') return transferCode(704);
  if (typeof notify_url !== 'string' || !URL.canParse(notify_url)) return transferCode(725);
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount % 5 !== 0) return transferCode(801);
  if (amount < BOUNDS[0]) return transferCode(719);
  if (amount > BOUNDS[1]) return transferCode(720);
  if (!contacts.has(msisdn)) return transferCode(724);
  if (kit.book.find(client_transaction_id)) return transferCode(805);
  if (call.fault === 'closed') return transferCode(804);
  if (call.fault === 'float_exhausted') return transferCode(602);
  const currency = CURRENCIES[String(prefix)] ?? 'XOF';
  const draft = { kind: 'payout', key: client_transaction_id, amount_minor: BigInt(amount) * 100n, currency, msisdn } as const;
  const entry = await kit.operations.create(
    { ...draft, of: null, callback_url: notify_url, wire: {} },
    endingOf('payout', msisdn),
    call.fault,
  );
  return transferCode(0, [[present(entry, 'pending')]]);
}

function show({ book }: Kit, key: string): Answer {
  const entry = book.visible(key);
  return entry?.kind === 'payout' ? transferCode(0, [present(entry)]) : transferCode(723);
}

const STATUSES = {
  pending: { treatment_status: 'NEW', sending_status: 'PENDING' },
  succeeded: { treatment_status: 'VAL', sending_status: 'CONFIRM' },
  failed: { treatment_status: 'REJ', sending_status: 'CONFIRM' },
} as const;

function present(entry: Entry, state = entry.state, amount_minor = entry.amount_minor): object {
  return {
    ...{ transaction_id: `EA${entry.ref}`, client_transaction_id: entry.key, lot: `0${entry.ref}`, ...STATUSES[state] },
    ...{ amount: String(amount_minor / 100n), receiver: entry.msisdn },
    operator_transaction_id: state === 'succeeded' ? `OP${entry.ref}` : null,
    ...{
      validated_at: state === 'pending' ? null : '2026-11-21 10:00:00',
      comment: state === 'failed' ? 'Transfert rejete' : '',
    },
  };
}

/** Composes the notification of a transfer, which has no token. */
export function composeTransfer(entry: Entry, { stage, amount_minor }: CallbackContent): CallbackRequest {
  return {
    ...{ method: 'POST', url: String(entry.callback_url), headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(present(entry, stage === 'interim' ? 'pending' : entry.state, amount_minor)),
  };
}
