import type { Actor } from '../../tenants/audit/actor.ts';
import { type Act, recordAll } from '../../tenants/audit/record.ts';
import { type Level, reserveAll } from '../../money/transaction-limits/service.ts';
import type { SharedWork } from '../../platform/db/batches.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Environment } from '../../kit/environment.ts';
import { must, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { type Db, LOCK_NOT_AVAILABLE, pgCode, type Tx } from '../../kit/sql.ts';
import type { Provider } from '../../providers/adapters/contract.ts';
import { SUBMIT_LEASE_MS } from '../../providers/adapters/polling.ts';
import { isUnderWay, type AttemptRow, type Prompter } from '../attempts/schema.ts';
import { attemptsOf, insertAttempts, type NewAttempt } from '../attempts/store.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { undecidedByStatement } from '../payments/statement-amounts-store.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { lockFreePayments, lockPayments, type PaymentRef } from '../payments/store.ts';
import type { Charge } from './instrument.ts';
import { type ChargeKey, KeyTaken, takeKeys } from './key.ts';
import { isLimited, limitPrompts } from './prompts.ts';
import { chargeFault } from './refusals.ts';
import { trancheOf } from './tranches.ts';

/** What a caller of a charge adds to the transaction that stores the intent. */
export interface ChargeHooks {
  /** The Idempotency-Key of the request. */
  key?: ChargeKey;
  /** Called first in the transaction. A charge with this hook shares its transaction with no other. */
  started?(tx: Tx, attempt_id: string): Promise<void>;
}

/** An attempt that is about to be made. */
export interface Intent {
  deps: PaymentDeps;
  environment: Environment;
  ref: PaymentRef;
  charge: Charge;
  provider: Provider;
  /** Why routing chose the provider. */
  decision: object;
  level: Level;
  hooks: ChargeHooks | undefined;
}

/** A payment and its new attempt, whose intent is committed. */
export interface Started {
  payment: PaymentRow;
  attempt: AttemptRow;
}

/** An error concerns this charge alone, and nothing of it was stored. `busy`: another transaction has locked the payment. */
type Start = Started | Error | 'busy';

/**
 * Charges that arrive together share the transaction that stores their intents. A payment that is locked is left out, so that it
 * delays no other charge.
 */
const STARTS: SharedWork<Intent, Start> = {
  in_flight: 2,
  teamOf: ({ ref }) => ref.team_id,
  exclusive: exclusionsOf,
  run: startTogether,
};

/**
 * Returns the names under which charges exclude each other. Two charges of the same payment, with the same key, or of the same limited
 * payer are decided one after the other, so that the second sees what the first has stored.
 */
function exclusionsOf({ ref: { team_id, id }, environment, charge, hooks }: Intent): string[] {
  return [
    `payment ${team_id} ${id}`,
    ...(hooks?.key ? [`key ${team_id} ${hooks.key.slot.key}`] : []),
    ...(isLimited(environment, charge) ? [`payer ${team_id} ${charge.payer}`] : []),
  ];
}

/**
 * Commits the intent: from here on the attempt survives a crash of the process.
 * @throws Problem when the payment cannot be charged; KeyTaken; nothing is stored then
 */
export async function start(store: Store, intent: Intent): Promise<Started> {
  const shared = intent.hooks?.started ? 'busy' : await intent.deps.batches.add(STARTS, store, intent);
  if (shared instanceof Error) throw shared;
  return shared === 'busy' ? startAlone(store.db, intent) : shared;
}

/** Waits for what others have locked. An error is thrown inside the transaction, so that it undoes what the hook has written. */
function startAlone(db: Db, intent: Intent): Promise<Started> {
  return db.transaction(async (tx) => {
    const [result] = await startAll(tx, [intent], lockPayments);
    if (result instanceof Error) throw result;
    return must(result === 'busy' ? undefined : result, 'the payment was found before');
  });
}

/** Thrown to roll back a transaction in which some of several charges were rejected after others had reserved something. */
class Rejections extends Error {
  readonly of: ReadonlySet<Intent>;

  constructor(of: ReadonlySet<Intent>) {
    super('some charges were rejected');
    this.of = of;
  }
}

/**
 * Starts charges in one transaction. A charge that is rejected by a limit is left for a transaction of its own. When one waits too long
 * for a row, all are.
 */
async function startTogether(db: Db, intents: readonly Intent[]): Promise<Start[]> {
  const started = new Map<Intent, Start>();
  for (let left = intents; left.length > 0; ) {
    const results = await startedOrRejections(db, left);
    if (results instanceof Rejections) left = left.filter((intent) => !results.of.has(intent));
    else {
      for (const [i, intent] of left.entries()) started.set(intent, results[i] as Start);
      break;
    }
  }
  return intents.map((intent) => started.get(intent) ?? 'busy');
}

/**
 * Starts charges in one transaction, or returns the charges that were rejected. When the outcome of the commit is unknown, no charge is
 * started again: its attempt may be stored, and this attempt is never sent.
 */
async function startedOrRejections(db: Db, intents: readonly Intent[]): Promise<Start[] | Rejections> {
  let committing = false;
  try {
    return await db.transaction(async (tx) => {
      committing = false;
      const started = await startAll(tx, intents, lockFreePayments);
      committing = true;
      return started;
    }, 'shared');
  } catch (error) {
    if (error instanceof Rejections) return error;
    if (error instanceof Problem && intents.length === 1) return [error];
    if (pgCode(error) === LOCK_NOT_AVAILABLE) return intents.map(() => 'busy');
    if (!committing || !(error instanceof Error)) throw error;
    return intents.map(() => error);
  }
}

/** A charge whose payment is locked and may be charged. */
interface Allowed {
  intent: Intent;
  payment: PaymentRow;
  attempt_id: string;
  at: number;
}

async function startAll(tx: Tx, intents: readonly Intent[], lock: typeof lockPayments): Promise<Start[]> {
  const refs = intents.map(({ ref }) => ref);
  // One round trip: attempts are read when the payments are locked. Those of an archived payment do not matter, since it has ended.
  const [locked, attempts] = await Promise.all([lock(tx, refs), attemptsOf(tx, refs)]);
  const payments = new Map(locked.map((payment) => [nameOf(payment), payment]));
  const undecided = await undecidedByStatement(tx, attempts);
  const held = new Set(attempts.filter((one) => isUnderWay(one) || undecided.has(one.id)).map((one) => one.payment_id));
  const judged: (Allowed | Error | 'busy')[] = [];
  for (const intent of intents) judged.push(await judge(tx, intent, payments.get(nameOf(intent.ref)), held));
  const allowed = judged.filter(isAllowed);
  const keyed = await takeKeys(
    tx,
    allowed.flatMap(({ intent: { hooks }, attempt_id }) => (hooks?.key ? [{ key: hooks.key, attempt_id }] : [])),
  );
  const free = allowed.filter(({ intent, attempt_id }) => !intent.hooks?.key || keyed.has(attempt_id));
  const stored = await store(tx, free, intents.length > 1);
  return judged.map((one) => {
    if (!isAllowed(one)) return one;
    const attempt = stored.get(one.attempt_id);
    return attempt ? { payment: one.payment, attempt } : new KeyTaken();
  });
}

function nameOf({ team_id, id }: PaymentRef): string {
  return `${team_id} ${id}`;
}

function isAllowed(judged: Allowed | Error | 'busy'): judged is Allowed {
  return judged !== 'busy' && !(judged instanceof Error);
}

/**
 * Checks whether a payment may be charged.
 * @param held ids of the payments with a charge under way, or with money that waits for a decision
 */
async function judge(
  tx: Tx,
  intent: Intent,
  payment: PaymentRow | undefined,
  held: ReadonlySet<string>,
): Promise<Allowed | Error | 'busy'> {
  if (!payment) return 'busy';
  const { deps, environment, hooks } = intent;
  const at = deps.clock.now();
  const attempt_id = newId('att', environment, at);
  await hooks?.started?.(tx, attempt_id);
  return chargeFault(payment, held.has(payment.id), at) ?? { intent, payment, attempt_id, at };
}

/**
 * Stores the intents with what they reserve. Links, payers and limits are locked in this order, and each kind in one order, in
 * every transaction: otherwise two of them could deadlock.
 * @param shared whether other charges share the transaction
 * @returns the attempts by id
 * @throws Problem when a charge that does not share the transaction is rejected, Rejections when others share it; either way the
 * transaction has to be rolled back
 */
async function store(tx: Tx, allowed: readonly Allowed[], shared: boolean): Promise<Map<string, AttemptRow>> {
  if (allowed.length === 0) return new Map();
  const rejected = new Set<Intent>();
  const reject = (intent: Intent, problem: unknown) => {
    if (!shared || !(problem instanceof Problem)) throw problem;
    rejected.add(intent);
  };
  for (const { intent, payment } of sortedBy(allowed, (one) => one.payment.key_id)) {
    await intent.deps.guardCharge(tx, payment).catch((error) => reject(intent, error));
  }
  const prompting = sortedBy(allowed, ({ intent }) => intent.charge.payer ?? '').filter(({ intent }) => !rejected.has(intent));
  const limited = await limitPrompts(
    tx,
    prompting.map(({ intent: { environment, charge, ref }, at }) => ({ environment, charge, team_id: ref.team_id, at })),
  );
  const prompters = new Map<Allowed, Prompter | null>();
  for (const [i, one] of prompting.entries()) {
    const prompter = limited[i] ?? null;
    if (prompter instanceof Problem) reject(one.intent, prompter);
    else prompters.set(one, prompter);
  }
  const attempts = [...prompters].map(([one, prompter]) => ({ one, row: attemptOf(one, prompter) }));
  const days = await reserveAll(
    tx,
    attempts.map(({ one: { intent, at }, row }) => ({ ...useOf(row), level: intent.level, at })),
  );
  const rows: NewAttempt[] = [];
  for (const [i, { one, row }] of attempts.entries()) {
    const counted_day = days[i] ?? null;
    if (counted_day instanceof Problem) reject(one.intent, counted_day);
    else rows.push({ ...row, counted_day });
  }
  if (rejected.size > 0) throw new Rejections(rejected);
  const acts = allowed.map(({ intent: { charge, ref }, at }): Act & { by: Actor } => {
    return { team_id: ref.team_id, action: 'payment.charge', resource_id: ref.id, at, by: charge.by };
  });
  const [stored] = await Promise.all([insertAttempts(tx, rows), recordAll(tx, acts)]);
  return new Map(stored.map((row) => [row.id, row]));
}

/** Sorts by team, then by key: teams by number, as the statements that lock rows of several teams do. */
function sortedBy(allowed: readonly Allowed[], keyOf: (one: Allowed) => string): Allowed[] {
  return allowed.toSorted((a, b) => compare(a.payment.team_id, b.payment.team_id) || compare(keyOf(a), keyOf(b)));
}

function compare<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** What an attempt uses of the transaction limits of its team. */
function useOf({ team_id, currency, amount_minor }: NewAttempt) {
  return { team_id, direction: 'payment', currency, amount_minor } as const;
}

/** Returns the attempt to insert, whose amount is not reserved yet. */
function attemptOf({ intent, payment, attempt_id, at }: Allowed, prompted_by: Prompter | null): NewAttempt {
  const { deps, ref, charge, provider, decision } = intent;
  return {
    team_id: ref.team_id,
    id: attempt_id,
    payment_id: ref.id,
    provider: provider.name,
    provider_account: provider.account_id,
    channel: charge.channel.id,
    amount_minor: trancheOf(deps.config, payment, charge.channel, charge.max_minor),
    currency: payment.currency,
    payer: charge.payer,
    remember: charge.remember || null,
    method_id: charge.method_id ?? null,
    country: charge.channel.country,
    provider_key: provider.keyOf(attempt_id),
    client_ip: charge.client_ip,
    prompted_by,
    counted_day: null,
    decision,
    created_at: new Date(at),
    // A provider without a handle is called as soon as the intent is committed. Otherwise `markSent` marks the attempt later.
    submitted_at: provider.prepare ? null : new Date(at),
    next_poll_at: new Date(at + SUBMIT_LEASE_MS),
  };
}
