import type { Draft, Entry, EntryKind } from '../kit/book.ts';
import type { CallbackRequest, CallbackContent } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import { failsWith } from '../kit/operations.ts';
import { amountText, minorOf } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import type { Access, Product } from './access.ts';
import { error, type Verdict, verdictOf, verdictOfReference } from './codes.ts';

/** The currency of each target environment that is simulated. */
export const CURRENCIES: Record<string, string> = {
  ...{ sandbox: 'EUR', mtncameroon: 'XAF', mtnivorycoast: 'XOF', mtnbenin: 'XOF', mtncongo: 'XAF', mtnguineaconakry: 'GNF' },
  ...{ mtnghana: 'GHS', mtnnigeria: 'NGN', mtnuganda: 'UGX', mtnrwanda: 'RWF', mtnzambia: 'ZMW' },
};

const WITHOUT_DECIMALS = new Set(['XAF', 'XOF', 'GNF', 'UGX', 'RWF']);
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Texts that the firewall before the gateway accepts. */
const HARMLESS = /^[A-Za-z0-9 .,-]{0,160}$/;
const BLOCKED: Answer = {
  status: 400,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>',
};

/** The addresses at which each kind of operation is created and read. */
const PLACES: readonly { kind: EntryKind; product: Product; path: string; party: 'payer' | 'payee' | null }[] = [
  { kind: 'collect', product: 'collection', path: '/collection/v1_0/requesttopay', party: 'payer' },
  { kind: 'payout', product: 'disbursement', path: '/disbursement/v1_0/transfer', party: 'payee' },
  { kind: 'refund', product: 'disbursement', path: '/disbursement/v1_0/refund', party: null },
];
type Place = (typeof PLACES)[number];

/** Returns the routes that create and show collections, payouts and refunds. */
export function orderRoutes(kit: Kit, access: Access): SimulatorRoute[] {
  return PLACES.flatMap((place): SimulatorRoute[] => [
    { method: 'POST', path: place.path, doing: 'create', answer: (call) => create(kit, access, place, call) },
    { method: 'GET', path: `${place.path}/:id`, doing: 'read', answer: (call) => show(kit, access, place, call) },
  ]);
}

async function create(kit: Kit, access: Access, place: Place, call: Call): Promise<Answer> {
  const caller = access.callerOf(call, place.product);
  if ('answer' in caller) return caller.answer;
  const key = String(call.headers['x-reference-id'] ?? '');
  const currency = CURRENCIES[String(call.headers['x-target-environment'])];
  if (!currency) return error(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT');
  const fields = jsonOf(call);
  if (!UUID_V4.test(key) || !fields) return { status: 400, body: '' };
  if (![fields.payerMessage, fields.payeeNote].every(isHarmless)) return BLOCKED;
  const callback_url = call.headers['x-callback-url'] === undefined ? null : String(call.headers['x-callback-url']);
  if (callback_url !== null && !mayCall(callback_url, caller.user.callback_host)) return error(500, 'INVALID_CALLBACK_URL_HOST');
  if (fields.currency !== currency) return error(500, 'INVALID_CURRENCY');
  const draft = draftOf(kit, place, key, currency, callback_url, fields);
  if (!draft) return { status: 400, body: '' };
  if (kit.book.find(key)) return error(409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id. Creation of resource failed.');
  if (call.fault === 'closed') return error(503, 'SERVICE_UNAVAILABLE');
  const verdict = judge(kit, place, draft, call);
  if (verdict.kind === 'turned_down') return verdict.answer;
  await kit.operations.create(draft, verdict.ending, call.fault);
  return { status: 202, body: null };
}

function isHarmless(text: unknown): boolean {
  return typeof text === 'string' && HARMLESS.test(text);
}

/** Returns whether a callback address is allowed: its host must be the one the API user was created with. */
function mayCall(url: string, host: string | null): boolean {
  return host === null || URL.parse(url)?.hostname === host;
}

/** Returns the operation to create. Null: the request is malformed. */
function draftOf(
  kit: Kit,
  { kind, party }: Place,
  key: string,
  currency: string,
  callback_url: string | null,
  fields: Record<string, unknown>,
): Draft | null {
  const amount_minor = minorOf(fields.amount);
  if (amount_minor === null || amount_minor === 0n) return null;
  if (WITHOUT_DECIMALS.has(currency) && amount_minor % 100n !== 0n) return null;
  const of = kind === 'refund' ? String(fields.referenceIdToRefund ?? '') : null;
  const msisdn = of === null ? msisdnOf(fields[party ?? '']) : (kit.book.find(of)?.msisdn ?? '');
  if (msisdn === null) return null;
  return { kind, key, amount_minor, currency, msisdn, of, callback_url, wire: fields };
}

function msisdnOf(value: unknown): string | null {
  const { partyIdType, partyId } = (value ?? {}) as Record<string, unknown>;
  return partyIdType === 'MSISDN' && typeof partyId === 'string' && /^\d{8,15}$/.test(partyId) ? partyId : null;
}

function judge({ book }: Kit, { kind }: Place, draft: Draft, { fault }: Call): Verdict {
  if (fault === 'float_exhausted' && kind !== 'collect') return { kind: 'taken', ending: failsWith('NOT_ENOUGH_FUNDS') };
  if (draft.of === null) return verdictOf(kind, draft.msisdn);
  const magic = verdictOfReference(draft.of);
  if (magic) return magic;
  const collected = book.find(draft.of);
  if (!collected?.moved) return { kind: 'turned_down', answer: error(404, 'RESOURCE_NOT_FOUND') };
  const left = collected.amount_minor - book.refunded(draft.of);
  return draft.amount_minor > left ? { kind: 'taken', ending: failsWith('NOT_ALLOWED') } : verdictOf(kind, draft.msisdn);
}

function show(kit: Kit, access: Access, { kind, product }: Place, call: Call): Answer {
  const caller = access.callerOf(call, product);
  if ('answer' in caller) return caller.answer;
  const entry = kit.book.visible(call.params.id ?? '');
  if (entry?.kind !== kind) return error(404, 'RESOURCE_NOT_FOUND', 'Requested resource was not found.');
  return { status: 200, body: statusOf(kit, entry, entry.state, entry.amount_minor) };
}

const STATUSES = { pending: 'PENDING', succeeded: 'SUCCESSFUL', failed: 'FAILED' } as const;

/** Returns the status, in the format of the status endpoint and the callback. Neither contains the X-Reference-Id. */
function statusOf({ settings }: Kit, entry: Entry, state: Entry['state'], amount_minor: bigint): object {
  const { payer, payee, externalId, payerMessage, payeeNote } = entry.wire;
  const word = state === 'failed' ? entry.word : null;
  return {
    ...(state === 'succeeded' ? { financialTransactionId: entry.ref } : {}),
    ...{ externalId, amount: amountText(amount_minor, amount_minor % 100n === 0n ? 0 : 2), currency: entry.currency },
    ...(payer ? { payer } : {}),
    ...(payee ? { payee } : {}),
    ...{ payerMessage, payeeNote, status: STATUSES[state] },
    // An object in the published schema, bare text in most reported responses.
    ...(word ? { reason: settings.get('reason_as') === 'object' ? { code: word, message: word.toLowerCase() } : word } : {}),
  };
}

/** Composes the callback. Nothing is signed, so a forged one differs only in its content. */
export function compose(kit: Kit, entry: Entry, { stage, amount_minor, forged }: CallbackContent): CallbackRequest | null {
  if (entry.callback_url === null) return null;
  const actual = stage === 'interim' ? 'pending' : entry.state;
  const state = forged ? (actual === 'succeeded' ? 'failed' : 'succeeded') : actual;
  return {
    method: 'POST',
    url: entry.callback_url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(statusOf(kit, entry, state, amount_minor)),
  };
}
