import type { Draft, EntryKind } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { failsWith, SUCCEEDS } from '../kit/operations.ts';
import { amountText } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import { badRequest, checkAmount, checkFields, checkParty, rejected } from './checks.ts';
import { endingOf } from './codes.ts';
import { type Operator, operatorOf } from './channels.ts';
import { ID_FIELDS, presented } from './present.ts';

const EXTRAS = ['clientReferenceId', 'customerMessage', 'metadata'];

/** Returns the status of an operator. The settings `closed` and `delayed` list operators, separated by commas. */
export function statusOf({ settings }: Kit, provider: string): 'OPERATIONAL' | 'DELAYED' | 'CLOSED' {
  const named = (name: string) => (settings.get(name) ?? '').split(',').includes(provider);
  return named('closed') ? 'CLOSED' : named('delayed') ? 'DELAYED' : 'OPERATIONAL';
}

/** Creates a deposit. */
export async function takeDeposit(kit: Kit, call: Call): Promise<Answer> {
  const body = jsonOf(call);
  const wrong = checkFields(
    body,
    'depositId',
    ['amount', 'currency', 'payer'],
    [...EXTRAS, 'preAuthorisationCode', 'successfulUrl', 'failedUrl'],
  );
  if (wrong || !body) return wrong as Answer;
  const known = kit.book.find(String(body.depositId));
  if (known) return ignored('collect', known.key);
  const draft = draftOf('collect', body, body.payer);
  if ('answer' in draft) return draft.answer;
  const { operator, value } = draft;
  if (call.fault === 'closed' || statusOf(kit, operator.provider) !== 'OPERATIONAL')
    return closed('collect', value.key, operator);
  const code = body.preAuthorisationCode;
  if (code !== undefined && !/^\d+$/.test(String(code))) {
    return badRequest('INVALID_PARAMETER', 'The preAuthorisationCode must be digits.');
  }
  if (operator.auth === 'PREAUTH' && !/^\d{4,8}$/.test(String(code))) {
    return rejected('depositId', value.key, 'INVALID_INPUT', 'The preAuthorisationCode is missing or not valid.');
  }
  const redirects = operator.auth === 'REDIRECT_AUTH';
  const authorizationUrl = `http://${call.headers.host}/pay/${value.key}`;
  const late_ms = Number(kit.settings.get('late_page') ?? 0);
  const page = redirects ? { ...(late_ms > 0 ? {} : { authorizationUrl }), backUrl: body.successfulUrl } : {};
  const entry = await kit.operations.create(
    { ...value, wire: { ...value.wire, ...page } },
    endingOf('collect', value.msisdn),
    call.fault,
  );
  if (redirects && late_ms === 0) kit.operations.interim(entry);
  if (redirects && late_ms > 0) {
    kit.timers.after(late_ms, () => {
      entry.wire.authorizationUrl = authorizationUrl;
      kit.operations.interim(entry);
    });
  }
  return accepted('collect', value.key, redirects ? 'GET_AUTH_URL' : 'FINAL_STATUS');
}

/**
 * Returns whether an empty wallet is reported at initiation, as HTTP 200 REJECTED, or later as FAILED. Both were
 * observed.
 */
function rejectsEmpty({ settings }: Kit): boolean {
  return settings.get('empty_wallet') === 'rejected';
}

function outOfFunds(kind: EntryKind, key: string): Answer {
  return rejected(ID_FIELDS[kind], key, 'PAWAPAY_WALLET_OUT_OF_FUNDS', 'The pawaPay wallet does not have enough funds.');
}

/** Creates a payout. */
export async function takePayout(kit: Kit, call: Call): Promise<Answer> {
  const body = jsonOf(call);
  const wrong = checkFields(body, 'payoutId', ['amount', 'currency', 'recipient'], EXTRAS);
  if (wrong || !body) return wrong as Answer;
  const known = kit.book.find(String(body.payoutId));
  if (known) return ignored('payout', known.key);
  const draft = draftOf('payout', body, body.recipient);
  if ('answer' in draft) return draft.answer;
  const { operator, value } = draft;
  const status = statusOf(kit, operator.provider);
  if (call.fault === 'closed' || status === 'CLOSED') return closed('payout', value.key, operator);
  if (status === 'DELAYED') {
    await kit.operations.create(
      { ...value, wire: { ...value.wire, enqueued: true } },
      { ...SUCCEEDS, after: 'stuck' },
      call.fault,
    );
    return { status: 200, body: { payoutId: value.key, status: 'ENQUEUED', created: new Date().toISOString() } };
  }
  const empty = call.fault === 'float_exhausted';
  if (empty && rejectsEmpty(kit)) return outOfFunds('payout', value.key);
  await kit.operations.create(
    value,
    empty ? failsWith('PAWAPAY_WALLET_OUT_OF_FUNDS') : endingOf('payout', value.msisdn),
    call.fault,
  );
  return accepted('payout', value.key, null);
}

/** Creates a refund. */
export async function takeRefund(kit: Kit, call: Call): Promise<Answer> {
  const body = jsonOf(call);
  const wrong = checkFields(body, 'refundId', ['depositId'], [...EXTRAS, 'amount', 'currency']);
  if (wrong || !body) return wrong as Answer;
  const key = String(body.refundId);
  if (kit.book.find(key)) return ignored('refund', key);
  const reject = (code: string, message: string) => rejected('refundId', key, code, message);
  const deposit = kit.book.find(String(body.depositId));
  if (deposit?.kind !== 'collect') return reject('NOT_FOUND', 'The deposit was not found.');
  if (deposit.state !== 'succeeded') return reject('INVALID_STATE', 'The deposit has not been completed.');
  const left = deposit.amount_minor - kit.book.refunded(deposit.key);
  if (left <= 0n) return reject('DEPOSIT_ALREADY_REFUNDED', 'The deposit has been refunded already.');
  const others = kit.book.entries().filter((entry) => entry.kind === 'refund' && entry.of === deposit.key);
  if (others.some((entry) => entry.state === 'pending')) {
    return reject('REFUND_IN_PROGRESS', 'Another refund of this deposit is in progress.');
  }
  const operator = operatorOf(deposit.wire.provider) as Operator;
  const requested =
    body.amount === undefined ? { amount: amountText(left, left % 100n === 0n ? 0 : 2), currency: deposit.currency } : body;
  const amount = checkAmount({ currency: deposit.currency, ...requested }, operator, 'refundId', key);
  if ('answer' in amount) return amount.answer;
  if (amount.value.amount_minor > left)
    return reject('AMOUNT_TOO_LARGE', 'The amount is larger than what is left of the deposit.');
  if (call.fault === 'closed' || statusOf(kit, operator.provider) === 'CLOSED') return closed('refund', key, operator);
  const { provider, country } = deposit.wire;
  const empty = call.fault === 'float_exhausted';
  if (empty && rejectsEmpty(kit)) return outOfFunds('refund', key);
  await kit.operations.create(
    {
      kind: 'refund',
      key,
      ...amount.value,
      msisdn: deposit.msisdn,
      of: deposit.key,
      callback_url: null,
      wire: { provider, country },
    },
    empty ? failsWith('PAWAPAY_WALLET_OUT_OF_FUNDS') : endingOf('refund', deposit.msisdn),
    call.fault,
  );
  return accepted('refund', key, null);
}

/** Returns the status of an operation. */
export function showStatus({ book }: Kit, kind: EntryKind, key: string): Answer {
  const entry = book.visible(key);
  if (entry?.kind !== kind) return { status: 200, body: { status: 'NOT_FOUND' } };
  return {
    status: 200,
    body: { status: 'FOUND', data: { ...presented(entry), clientReferenceId: entry.wire.clientReferenceId } },
  };
}

/** Cancels an operation, which must be in the queue. */
export async function failEnqueued(kit: Kit, kind: EntryKind, key: string): Promise<Answer> {
  const id_field = ID_FIELDS[kind];
  const entry = kit.book.find(key);
  if (entry?.kind !== kind) return rejected(id_field, key, 'NOT_FOUND', 'There is no such transaction.');
  if (!entry.wire.enqueued || entry.state !== 'pending') {
    return rejected(id_field, key, 'INVALID_STATE', 'Only enqueued transactions can be failed.');
  }
  await kit.operations.complete(entry, failsWith('MANUALLY_CANCELLED'));
  return { status: 200, body: { [id_field]: key, status: 'ACCEPTED' } };
}

function draftOf(
  kind: 'collect' | 'payout',
  body: Record<string, unknown>,
  party: unknown,
): { answer: Answer } | { operator: Operator; value: Draft } {
  const id_field = ID_FIELDS[kind];
  const key = String(body[id_field]);
  const who = checkParty(party, id_field, key);
  if ('answer' in who) return who;
  const { operator, msisdn } = who.value;
  const amount = checkAmount(body, operator, id_field, key);
  if ('answer' in amount) return amount;
  const { clientReferenceId, customerMessage } = body;
  const wire = { provider: operator.provider, country: operator.country, clientReferenceId, customerMessage };
  return { operator, value: { kind, key, ...amount.value, msisdn, of: null, callback_url: null, wire } };
}

function accepted(kind: EntryKind, key: string, nextStep: string | null): Answer {
  const created = new Date().toISOString();
  return { status: 200, body: { [ID_FIELDS[kind]]: key, status: 'ACCEPTED', created, ...(nextStep ? { nextStep } : {}) } };
}

function ignored(kind: EntryKind, key: string): Answer {
  return { status: 200, body: { [ID_FIELDS[kind]]: key, status: 'DUPLICATE_IGNORED' } };
}

function closed(kind: EntryKind, key: string, { provider }: Operator): Answer {
  const message = `The provider ${provider} is temporarily unavailable. Please try again later.`;
  return rejected(ID_FIELDS[kind], key, 'PROVIDER_TEMPORARILY_UNAVAILABLE', message);
}
