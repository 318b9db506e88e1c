import type { Entry } from '../kit/book.ts';
import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { failsWith, SUCCEEDS } from '../kit/operations.ts';
import { amountText } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import { error, executionError, francs, invalid, msisdnOf, StoredErrors } from './codes.ts';

/**
 * Last six digits of numbers that are rejected immediately, and of numbers whose payout is accepted and fails later.
 * An unknown number is paid.
 */
const BLOCKED = '000002';
const ABOVE_LIMIT = '000003';

/** The payouts from the wallet: one for each idempotency key. */
export class Payouts {
  readonly #kit: Kit;
  readonly #errors = new StoredErrors();

  constructor(kit: Kit) {
    this.#kit = kit;
  }

  async create(call: Call): Promise<Answer> {
    const fields = jsonOf(call) ?? {};
    const idempotency_key = String(call.headers['idempotency-key']);
    const amount_minor = francs(fields.receive_amount);
    const msisdn = msisdnOf(fields.mobile);
    if (amount_minor === null) return invalid('receive_amount');
    if (msisdn === null) return invalid('mobile');
    if (typeof fields.payment_reason === 'string' && fields.payment_reason.length > 40) return invalid('payment_reason');
    if (fields.currency !== 'XOF') return error(400, 'currency-mismatch', 'The wallet has another currency.');
    const body = JSON.stringify(fields);
    const earlier = this.#kit.book.entries().find(({ wire }) => wire.idempotency_key === idempotency_key);
    if (earlier) {
      return earlier.wire.body === body
        ? { status: 200, body: presented(earlier) }
        : error(409, 'idempotency-mismatch', 'The key was used for another payout.');
    }
    const stored = this.#errors.of(idempotency_key, body);
    if (stored) return stored;
    if (call.fault === 'closed') return error(503, 'service-unavailable', 'The service is not available.');
    const fails = (code: string, text: string) => this.#errors.store(idempotency_key, body, executionError(422, code, text));
    if (call.fault === 'float_exhausted') return fails('insufficient-funds', 'The wallet does not hold enough.');
    if (msisdn.endsWith(BLOCKED)) return fails('recipient-account-blocked', 'The account is blocked.');
    const ending = msisdn.endsWith(ABOVE_LIMIT) ? failsWith('recipient-limit-exceeded') : SUCCEEDS;
    const key = String(fields.client_reference ?? idempotency_key);
    const wire = { idempotency_key, body, client_reference: fields.client_reference, name: fields.name };
    const draft = { kind: 'payout', key, amount_minor, currency: 'XOF', msisdn, of: null, callback_url: null, wire } as const;
    return { status: 200, body: presented(await this.#kit.operations.create(draft, ending, call.fault)) };
  }

  search(call: Call): Answer {
    const wanted = call.query.get('client_reference') ?? '';
    const found = this.#kit.book.created(wanted).filter(({ kind, visible_at }) => kind === 'payout' && visible_at <= Date.now());
    return { status: 200, body: { result: found.map(presented) } };
  }
}

function presented({ ref, amount_minor, msisdn, state, word, wire, created_at }: Entry): object {
  return {
    ...{ id: `pt-${ref}`, currency: 'XOF', receive_amount: amountText(amount_minor, 0), fee: '0', mobile: `+${msisdn}` },
    ...{ name: wire.name, client_reference: wire.client_reference, timestamp: new Date(created_at).toISOString() },
    status: state === 'pending' ? 'processing' : state,
    ...(word ? { payout_error: { error_code: word, error_message: word.replaceAll('-', ' ') } } : {}),
  };
}
