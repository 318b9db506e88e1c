import type { AccountRow } from '../accounts/schema.ts';
import { findActiveAccount } from '../accounts/service.ts';
import { blockedCustomer, customerProblem, payerOf } from '../customers/payer.ts';
import { levelOf, paymentProblem } from '../../money/transaction-limits/service.ts';
import { checkLargest, isOnAStep } from '../../providers/reference/largest.ts';
import { partFor, type Store, type WholeStore } from '../../platform/db/stores.ts';
import { eventInput } from '../../money/events/record.ts';
import { checkReplay, requestHash } from '../../tenants/api/idempotency.ts';
import type { Call } from '../../tenants/api/route.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import { Batcher } from '../../kit/batch.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Warning } from '../../kit/envelope.ts';
import { type FieldErrors, invalid, must, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import { type Minor, minorFromWire } from '../../kit/money.ts';
import { type Db, pgCode, pgConstraint, UNIQUE_VIOLATION } from '../../kit/sql.ts';
import { retrieved } from './present.ts';
import { STORED_COLUMNS, STORED_DETAILS, type StoredColumn, type StoredDetails } from './fields.ts';
import type { CreatePaymentBody, PaymentRow } from './schema.ts';
import { type Inserted, insertedOf, insertPayments, insertWithPayers, type NewPayment, seeingCustomers } from './create-store.ts';
import { SEARCHABLE_CUSTOMERS } from '../customers/store.ts';
import { SEARCHABLE_PAYMENTS } from './search.ts';
import { BuildHints } from '../../platform/search/hints.ts';
import { KnownPayers } from './known-payers.ts';
import { findByKey, findPayment, referenceExists } from './store.ts';

const ROUTE = 'POST /payments';
const DEFAULT_WINDOW_MINUTES = 1440;
/** A created payment; `replayed` when an earlier request with the same key created it. */
export interface Created {
  payment: PaymentRow;
  replayed: boolean;
}

/**
 * Creates the payments of one store. Under load many share one statement (see kit/batch.ts). The statement is the same for one
 * payment as for many, so batching is a switch and not a second code path.
 */
export class PaymentCreator {
  readonly #insert: (payment: NewPayment) => Promise<Inserted | undefined>;

  constructor(store: WholeStore, batching: boolean) {
    const known = new KnownPayers();
    const hints = [SEARCHABLE_PAYMENTS, SEARCHABLE_CUSTOMERS].map(({ kind }) => new BuildHints(kind));
    const run = async (payments: NewPayment[]) => {
      const { db } = partFor(
        store,
        payments.map(({ team_id }) => BigInt(team_id)),
      );
      const made = await insertSeeing(db, known, payments);
      for (const { team_id } of payments) for (const hint of hints) hint.created(team_id, store.of);
      return payments.map((payment) => made.get(payment.id));
    };
    const batcher = new Batcher<NewPayment, Inserted | undefined>({
      max: 64,
      inFlight: 2,
      run,
      exclusive: ({ team_id, idempotency_key }) => (idempotency_key === null ? [] : [`${team_id} ${idempotency_key}`]),
    });
    this.#insert = batching ? (payment) => batcher.add(payment) : async (payment) => (await run([payment]))[0];
  }

  /**
   * Creates the payment of a request, or returns the payment that its Idempotency-Key created before.
   * @throws Problem 402 unverified team in live, 404 unknown customer or account, 409 reference taken, 422
   */
  async create(call: Call<CreatePaymentBody>): Promise<Created> {
    const amount_minor = must(minorFromWire(call.body.amount), 'checkCreate let it pass');
    const { team, store } = call.caller;
    const hash = requestHash(call as Call);
    const account = call.sync === null ? null : await activeAccount(store, team.id, call.sync);
    if (account instanceof Problem) return this.#earlierOr(call, account);
    const limitProblem = paymentProblem(levelOf(store.environment, team), call.body.currency, amount_minor);
    if (limitProblem) return this.#earlierOr(call, limitProblem);
    const tooLarge = checkLargest(call.body.currency, amount_minor);
    if (tooLarge) return this.#earlierOr(call, invalid({ amount: [tooLarge] }));
    const problem = call.body.customer_id === undefined ? null : await customerProblem(store, team.id, call.body.customer_id);
    if (problem) return this.#earlierOr(call, problem);
    if (team.unique_references && call.body.reference !== undefined) {
      const taken = await referenceExists(store.db, team.id, call.body.reference);
      // Looked up second: the payment that has the reference may have been created with this same key a moment ago.
      const earlier = await this.#replay(call);
      if (earlier) return earlier;
      if (taken) throw referenceTaken();
    }
    const payment = paymentOf(call, amount_minor, account);
    const made = await this.#inserted(store, inputOf(call, payment, hash));
    if (made === 'reference_taken') return this.#earlierOr(call, referenceTaken());
    if (made === 'blocked') return this.#earlierOr(call, blockedCustomer());
    if (made === 'key_taken') return must(await this.#replay(call), 'the key exists');
    return { payment: { ...payment, ...made }, replayed: false };
  }

  /**
   * Returns the payment that the same key created before, if any: that request succeeded, whatever has changed since.
   * @throws the given problem when the key is unused
   */
  async #earlierOr(call: Call<CreatePaymentBody>, problem: Problem): Promise<Created> {
    const earlier = await this.#replay(call);
    if (earlier) return earlier;
    throw problem;
  }

  async #inserted({ db }: Store, input: NewPayment): Promise<Inserted | 'key_taken' | 'reference_taken'> {
    try {
      return (await this.#insert(input)) ?? 'key_taken';
    } catch (error) {
      if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
      if (pgConstraint(error) === 'payments_unique_reference') return 'reference_taken';
      if (pgConstraint(error) !== 'payments_pkey') throw error;
      // A batch whose answer was lost is inserted again, one by one: the id is of this request, so its first run was committed.
      const { customer_id } = must(await findPayment(db, BigInt(input.team_id), input.id), 'it has the id');
      return { customer_id };
    }
  }

  /**
   * Returns the payment that the same key created before, or null. The other two ways of idempotency are compared in
   * docs/decisions/0058-idempotency-paths.md.
   */
  async #replay(call: Call<CreatePaymentBody>): Promise<Created | null> {
    const key = call.idempotency_key;
    const { store, team } = call.caller;
    const earlier = key === null ? undefined : await findByKey(store.db, team.id, ROUTE, key);
    if (!earlier) return null;
    checkReplay(call as Call, { request_hash: earlier.request_hash, created_at: earlier.keyed_at });
    return { payment: earlier, replayed: true };
  }
}

/** Returns the connected account to which a payment is attributed, or the error why it cannot be. */
async function activeAccount(store: Store, team_id: bigint, id: string): Promise<AccountRow | Problem> {
  try {
    return await findActiveAccount(store, team_id, id);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/**
 * Inserts a batch of payments. Customers that are known to exist are only looked up. If one does not exist after all, or
 * another transaction is creating it, the payments are inserted by the statement that also creates customers.
 */
function insertSeeing(db: Db, known: KnownPayers, payments: NewPayment[]): Promise<Map<string, Inserted>> {
  return seeingCustomers(async (run) => {
    if (run === 1 && known.covers(payments)) return insertPayments(db, payments);
    const made = await insertWithPayers(db, payments);
    known.learn(payments, made);
    return made;
  });
}

/**
 * Validates what the JSON schema of the body cannot express. The body may not fit the schema.
 * @returns errors by field; empty when there are none
 */
export function checkCreate(body: CreatePaymentBody): FieldErrors {
  const errors: FieldErrors = {};
  if (typeof body.amount === 'number' && minorFromWire(body.amount) === null) {
    errors.amount = ['must have at most two decimals and be at most 9007199254740'];
  }
  if (!hasPayer(body)) {
    const message = 'one of email, phone, customer_id or customer (with email or phone) is required';
    for (const field of ['email', 'phone', 'customer_id', 'customer']) errors[field] = [message];
  }
  const { metadata, address, shipping, theming, telemetry } = body;
  return { ...errors, ...checkFreeObjects({ metadata, address, shipping, theming, telemetry }) };
}

/**
 * Returns the warning about an amount that no channel can move: the contract takes it at creation, and its charge is 422. The body may
 * not fit the schema.
 */
export function warnCreate({ amount, currency }: CreatePaymentBody): Warning[] {
  const amount_minor = minorFromWire(amount);
  if (amount_minor === null || isOnAStep(currency, amount_minor)) return [];
  const message = `must be a whole amount to be paid: no channel moves decimals of ${currency}, and a charge is rejected with 422`;
  return [{ field: 'amount', message }];
}

function hasPayer(body: CreatePaymentBody): boolean {
  return [body.email, body.phone, body.customer_id, body.customer?.email, body.customer?.phone].some(
    (field) => field !== undefined,
  );
}

function referenceTaken(): Problem {
  return new Problem(409, 'The reference already exists on another payment.', {
    errors: { reference: ['already exists on another payment'] },
  });
}

/** A request to create a payment: the caller and the body. */
export interface Order extends Pick<Call<CreatePaymentBody>, 'body' | 'idempotency_key' | 'request_id' | 'at'> {
  caller: Pick<Caller, 'team' | 'store' | 'key_id'>;
}

/** Returns the payment as its row will be. Its customer may be replaced by the one that the insert finds. */
export function paymentOf(call: Order, amount_minor: Minor, account: Pick<AccountRow, 'id' | 'split'> | null): PaymentRow {
  const { body, caller, at } = call;
  const now = new Date(at);
  const window_ms = (body.expires?.in ?? DEFAULT_WINDOW_MINUTES) * 60_000;
  return {
    ...textsOf(body),
    team_id: caller.team.id,
    id: newId('trx', caller.store.environment, at),
    amount_minor,
    fee_minor: 0n,
    captured_minor: 0n,
    refunded_minor: 0n,
    currency: body.currency,
    status: 'pending',
    bearer: body.bearer ?? 'merchant',
    channel: null,
    settled: false,
    reason: null,
    message: null,
    customer_id: body.customer_id ?? null,
    account_id: account?.id ?? null,
    payment_method: null,
    name: body.name ?? body.customer?.name ?? null,
    email: body.email ?? body.customer?.email ?? null,
    phone: body.phone ?? body.customer?.phone ?? null,
    key_id: caller.key_id,
    details: detailsOf(body),
    split: account?.split ?? null,
    continue_at: null,
    retry_of: null,
    retried_by: null,
    retry_number: null,
    claim: null,
    event_count: 1,
    created_at: now,
    updated_at: now,
    expires_at: new Date(at + window_ms),
    completed_at: null,
  };
}

/** Returns the columns of fields that are stored unchanged. */
function textsOf(body: CreatePaymentBody): Record<StoredColumn, string | null> {
  const texts = {} as Record<StoredColumn, string | null>;
  for (const name of STORED_COLUMNS) texts[name] = body[name] ?? null;
  return texts;
}

/** Returns only the details that were sent: most payments carry none of them. */
function detailsOf(body: CreatePaymentBody): StoredDetails | null {
  const sent = STORED_DETAILS.filter((name) => body[name] != null);
  return sent.length > 0 ? Object.fromEntries(sent.map((name) => [name, body[name]])) : null;
}

/**
 * Returns a payment with its key and its `payment.created` event in the form that the insert reads.
 * @param route the route to which the idempotency key is scoped
 */
export function inputOf(call: Omit<Order, 'body'>, payment: PaymentRow, hash: Buffer, route = ROUTE): NewPayment {
  const environment: Environment = call.caller.store.environment;
  const payer = payment.customer_id === null ? payerOf(environment, call.at, payment) : null;
  const shown = payer ? { ...payment, customer_id: payer.payer_id } : payment;
  const { team_id, event_id, packed, filled, created_at } = eventInput(environment, call.at, {
    team_id: payment.team_id,
    type: 'payment.created',
    resource_id: payment.id,
    sequence: 1,
    data: retrieved(environment, shown, []),
    ...(payer ? { unsure: payer.payer_id } : {}),
  });
  return {
    ...{ team_id, event_id, packed, filled, created_at },
    ...insertedOf(payment),
    route,
    idempotency_key: call.idempotency_key,
    request_hash: hash.toString('hex'),
    unique_reference: call.caller.team.unique_references && payment.reference !== null,
    request_id: call.request_id,
    payer,
  };
}
