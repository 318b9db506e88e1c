import type { AccountRow } from '../accounts/schema.ts';
import { findActiveAccount } from '../accounts/service.ts';
import type { Store } from '../db/stores.ts';
import { eventInput } from '../events/record.ts';
import { reusedKey, REPLAY_MS, requestHash, spentKey } from '../http/idempotency.ts';
import type { Call } from '../http/route.ts';
import { Batcher } from '../kit/batch.ts';
import type { Environment } from '../kit/environment.ts';
import { type FieldErrors, must, notFound, Problem } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { checkMetadata } from '../kit/metadata.ts';
import { type Minor, minorFromWire } from '../kit/money.ts';
import { type Db, pgCode, pgConstraint, UNIQUE_VIOLATION } from '../kit/sql.ts';
import { retrieved } from './present.ts';
import type { CreatePaymentBody, PaymentDetails, PaymentRow } from './schema.ts';
import { findByKey, insertPayments, type NewPayment, referenceExists } from './store.ts';

const ROUTE = 'POST /payments';
const DEFAULT_WINDOW_MINUTES = 1440;

export interface Created {
  payment: PaymentRow;
  replayed: boolean;
}

/**
 * Makes payments of one store. Under load many go into one statement (see kit/batch.ts); the statement is the same
 * for one as for many, so batching is a switch and not a second way.
 */
export class PaymentCreator {
  readonly #db: Db;
  readonly #insert: (payment: NewPayment) => Promise<boolean>;

  constructor(store: Store, batching: boolean) {
    this.#db = store.db;
    const run = async (payments: NewPayment[]) => {
      const made = await insertPayments(store.db, payments);
      return payments.map((payment) => made.has(payment.id));
    };
    const batcher = new Batcher<NewPayment, boolean>({
      max: 64,
      inFlight: 2,
      run,
      exclusive: ({ team_id, idempotency_key }) => (idempotency_key === null ? null : `${team_id} ${idempotency_key}`),
    });
    this.#insert = batching
      ? (payment) => batcher.add(payment)
      : async (payment) => must((await run([payment]))[0], 'one result');
  }

  /**
   * Creates the payment of a call, or finds the one its Idempotency-Key made before.
   * @throws Problem 402 unverified team in live, 404 unknown customer or account, 409 reference taken, 422
   */
  async create(call: Call<CreatePaymentBody>): Promise<Created> {
    const amount_minor = must(minorFromWire(call.body.amount), 'checkCreate let it pass');
    const { team, store } = call.caller;
    if (call.body.customer_id !== undefined) throw notFound('Customer');
    const account = call.sync === null ? null : await findActiveAccount(store, team.id, call.sync);
    if (store.environment === 'live' && team.verification_level === 0) throw notVerified();
    const hash = requestHash(call as Call);
    if (team.unique_references && call.body.reference !== undefined) {
      const taken = await referenceExists(this.#db, team.id, call.body.reference);
      // Looked up second: the payment that has the reference may be the one this very key made a moment ago.
      const earlier = await this.#replay(call, hash);
      if (earlier) return earlier;
      if (taken) throw referenceTaken();
    }
    const payment = paymentOf(call, amount_minor, account);
    const made = await this.#inserted(inputOf(call, payment, hash));
    if (made === 'made') return { payment, replayed: false };
    if (made === 'reference_taken') {
      const earlier = await this.#replay(call, hash);
      if (earlier) return earlier;
      throw referenceTaken();
    }
    return must(await this.#replay(call, hash), 'the key that stood in the way is there');
  }

  async #inserted(input: NewPayment): Promise<'made' | 'key_taken' | 'reference_taken'> {
    try {
      return (await this.#insert(input)) ? 'made' : 'key_taken';
    } catch (error) {
      if (pgCode(error) === UNIQUE_VIOLATION && pgConstraint(error) === 'payments_unique_reference') return 'reference_taken';
      throw error;
    }
  }

  async #replay(call: Call<CreatePaymentBody>, hash: Buffer): Promise<Created | null> {
    const key = call.idempotency_key;
    const earlier = key === null ? undefined : await findByKey(this.#db, call.caller.team.id, ROUTE, key);
    if (!earlier) return null;
    if (!earlier.request_hash.equals(hash)) throw reusedKey();
    if (call.at - earlier.keyed_at.getTime() > REPLAY_MS) throw spentKey();
    return { payment: earlier, replayed: true };
  }
}

/** What the schema of the body can not say; of a body that may not fit the schema. */
export function checkCreate(body: CreatePaymentBody): FieldErrors {
  const errors: FieldErrors = {};
  if (typeof body.amount === 'number' && minorFromWire(body.amount) === null) {
    errors.amount = ['must have at most two decimals and be at most 9007199254740'];
  }
  if (!hasPayer(body)) {
    const message = 'one of email, phone, customer_id or customer (with email or phone) is required';
    for (const field of ['email', 'phone', 'customer_id', 'customer']) errors[field] = [message];
  }
  const objection = typeof body.metadata === 'object' && body.metadata ? checkMetadata(body.metadata) : null;
  if (objection) errors.metadata = [objection];
  return errors;
}

function hasPayer(body: CreatePaymentBody): boolean {
  return [body.email, body.phone, body.customer_id, body.customer?.email, body.customer?.phone].some(
    (field) => field !== undefined,
  );
}

function notVerified(): Problem {
  return new Problem(402, 'The team is not verified: live payments are not open to it yet.', {
    error_code: 'merchant_not_verified',
    payer_message: 'This merchant can not take payments yet. No money was taken.',
  });
}

function referenceTaken(): Problem {
  return new Problem(409, 'The reference already exists on another payment.', {
    errors: { reference: ['already exists on another payment'] },
  });
}

function paymentOf(
  call: Call<CreatePaymentBody>,
  amount_minor: Minor,
  account: Pick<AccountRow, 'id' | 'split'> | null,
): PaymentRow {
  const { body, caller, at } = call;
  const now = new Date(at);
  const window_ms = (body.expires?.in ?? DEFAULT_WINDOW_MINUTES) * 60_000;
  return {
    team_id: caller.team.id,
    id: newId('trx', caller.store.environment, at),
    reference: body.reference ?? null,
    amount_minor,
    fee_minor: 0n,
    captured_minor: 0n,
    refunded_minor: 0n,
    currency: body.currency,
    status: 'pending',
    bearer: body.bearer ?? 'merchant',
    channel: null,
    description: body.description ?? null,
    settled: false,
    reason: null,
    message: null,
    customer_id: null,
    account_id: account?.id ?? null,
    payment_method: null,
    name: body.name ?? body.customer?.name ?? null,
    email: body.email ?? body.customer?.email ?? null,
    phone: body.phone ?? body.customer?.phone ?? null,
    callback: body.callback ?? null,
    details: detailsOf(body),
    split: account?.split ?? null,
    continue_at: null,
    claim: null,
    event_count: 1,
    created_at: now,
    updated_at: now,
    expires_at: new Date(at + window_ms),
    completed_at: null,
  };
}

/** Only what was sent: most payments carry none of it. */
function detailsOf(body: CreatePaymentBody): PaymentDetails | null {
  const { items, address, shipping, theming, telemetry, metadata } = body;
  const sent = Object.entries({ items, address, shipping, theming, telemetry, metadata }).filter(([, value]) => value != null);
  return sent.length > 0 ? (Object.fromEntries(sent) as PaymentDetails) : null;
}

function inputOf(call: Call<CreatePaymentBody>, payment: PaymentRow, hash: Buffer): NewPayment {
  const environment: Environment = call.caller.store.environment;
  const event = eventInput(environment, call.at, {
    team_id: payment.team_id,
    type: 'payment.created',
    resource_id: payment.id,
    sequence: 1,
    data: retrieved(environment, payment, []),
  });
  return {
    ...event,
    id: payment.id,
    route: ROUTE,
    idempotency_key: call.idempotency_key,
    request_hash: hash.toString('hex'),
    reference: payment.reference,
    amount_minor: String(payment.amount_minor),
    currency: payment.currency,
    bearer: payment.bearer,
    description: payment.description,
    customer_id: payment.customer_id,
    account_id: payment.account_id,
    split: payment.split,
    name: payment.name,
    email: payment.email,
    phone: payment.phone,
    callback: payment.callback,
    details: payment.details,
    unique_reference: call.caller.team.unique_references && payment.reference !== null,
    key_id: call.caller.key_id,
    request_id: call.request_id,
    expires_at: payment.expires_at.toISOString(),
  };
}
