import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import { checkVerified, type Level, levelOf } from '../../money/transaction-limits/service.ts';
import type { SharedWork } from '../../platform/db/batches.ts';
import type { Store } from '../../platform/db/stores.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Next, PayerInput, Provider, Submission } from '../../providers/adapters/contract.ts';
import { applyOne } from '../payments/applier.ts';
import type { Applied } from '../payments/change.ts';
import type { Environment } from '../../kit/environment.ts';
import { attemptsOf, markSent, type Sending, unmarkStep } from '../attempts/store.ts';
import { malformedCode } from './code.ts';
import { collectionOf } from './collection.ts';
import type { Charge } from './instrument.ts';
import { KeyTaken, takeKey } from './key.ts';
import { ChargeUnderWay, declined, isChargeable, reasonOf, wrongState } from './refusals.ts';
import { reportOfStep, reportOfSubmission } from './reports.ts';
import { type AttemptRow, isOpen, isUnderWay } from '../attempts/schema.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { routeCharge } from './route-charge.ts';
import { screenCharge } from './screening.ts';
import { type ChargeHooks, start } from './start.ts';
import { isAnswered, isTooLate, lockForStep, storeStep } from './steps.ts';
import { isUnpaid } from '../payments/states.ts';
import { CHARGEABLE, lockPayments, type PaymentRef } from '../payments/store.ts';

const NOT_SENT: Submission = { kind: 'unavailable', message: 'not sent: the attempt or its payment had ended' };

/** Marks attempts as submitted. The result is false for an attempt that must no longer be sent. */
const SENDINGS: SharedWork<Sending, boolean> = {
  in_flight: 2,
  teamOf: ({ team_id }) => team_id,
  run: async (db, sendings) => {
    const marked = await db.transaction((tx) => markSent(tx, sendings, CHARGEABLE), 'by_key');
    return sendings.map(({ id }) => marked.has(id));
  },
};

/** A charge that is under way or has already succeeded: the payer's next action, and the current payment. */
export interface Charged {
  payment: PaymentRow;
  attempts: AttemptRow[];
  attempt: AttemptRow;
  action: Next | null;
}

/**
 * Charges a payment: stores the intent, submits it to a provider outside any transaction, applies the response. Another
 * provider is tried only when the earlier one provably created nothing.
 * @throws Problem 400 wrong state; 402 declined at once (the payment is failed, or stays partial), rejected by fraud screening, or the
 * team is not verified; 409 the guard refuses it; 422 above a transaction limit of the team, or an amount that no account can ever
 * take; 429 the payer's phone was prompted too often; 502 no provider could take it
 * @throws KeyTaken when another request holds the Idempotency-Key
 */
export async function charge(
  deps: PaymentDeps,
  store: Store,
  ref: PaymentRef,
  wanted: Charge,
  hooks?: ChargeHooks,
): Promise<Charged> {
  const { level, is_screened } = await teamSettings(deps, store.environment, ref.team_id);
  checkVerified(level);
  if (is_screened) await screenCharge(deps, store, ref, wanted, hooks);
  const { charge, candidates, explanation } = await routeCharge(deps, store.environment, ref.team_id, wanted);
  for (const provider of candidates) {
    const { environment } = store;
    const { payment, attempt } = await start(store, {
      ...{ deps, environment, ref, charge, provider, decision: explanation, level, hooks },
    });
    const submission = await submit(deps, store, provider, payment, attempt);
    const applied = await applyOne(deps, store, reportOfSubmission(placeOf(deps, store), attempt, submission));
    const answered = attemptIn(applied, attempt.id);
    if (answered.status !== 'unavailable') return resultOf(applied, attempt.id, submission);
    // Its provider has called back meanwhile, so it has the charge: only a poll tells.
    if (isUnderWay(answered)) throw new ChargeUnderWay();
  }
  throw await notTaken(store, ref);
}

/**
 * Submits an attempt. A provider that first returns a handle needs two steps: the handle is committed before any request that can move
 * money. An attempt that was closed since its intent was committed is not sent, because another attempt may have replaced it.
 */
async function submit(
  deps: PaymentDeps,
  store: Store,
  provider: Provider,
  payment: PaymentRow,
  attempt: AttemptRow,
): Promise<Submission> {
  const collection = collectionOf(deps, store, payment, attempt);
  const prepared = (await provider.prepare?.(collection)) ?? { kind: 'ready', handle: null };
  if (prepared.kind !== 'ready') return prepared;
  const submitted_at = attempt.submitted_at ?? new Date(deps.clock.now());
  const { team_id, id } = attempt;
  const sending = { team_id, id, handle: prepared.handle, submitted_at };
  if (attempt.submitted_at === null && !(await deps.batches.add(SENDINGS, store, sending))) return NOT_SENT;
  // A process may have been paused here.
  if (isTooLate(provider.capabilities, submitted_at.getTime(), deps.clock.now())) return NOT_SENT;
  return provider.submit({ ...collection, handle: prepared.handle });
}

/**
 * Submits a further step of the payer (one-time code, card form, card authentication) for the attempt under way.
 * @param attempt as the caller read it; the step is stored, and sent, only if it still waits for it
 * @param by who sends it; recorded in the audit log before the provider is called
 * @throws Problem 400 wrong state, 402 declined at once, 422 the provider rejected the code as malformed, 502 the provider cannot take
 * it now. After 422 and 502 the step can be sent again
 */
export async function continueCharge(
  deps: PaymentDeps,
  store: Store,
  payment: PaymentRow,
  attempt: AttemptRow,
  input: PayerInput,
  by: Actor,
  hooks?: ChargeHooks,
): Promise<Charged> {
  const provider = await deps.providers.byAccount(store.environment, payment.team_id, attempt.provider_account);
  if (!provider?.continue || !isOpen(attempt)) throw wrongState(payment);
  const { capabilities } = provider;
  const step = await store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    const locked = await lockForStep(tx, attempt);
    // A request with the same key that this one took for dead is alive: its response is the one to return.
    if (hooks?.key?.own.includes(attempt.id) && isAnswered(locked, attempt)) throw new KeyTaken();
    // Before the attempt is checked: a request with the same key may have ended it, and this one returns its response then.
    if (hooks?.key) await takeKey(tx, hooks.key, attempt.id);
    const stored = await storeStep(tx, locked, attempt, capabilities, at);
    await record(tx, by, { team_id: payment.team_id, action: 'payment.continue', resource_id: payment.id, at });
    return stored;
  });
  // A process may have been paused here. An attempt whose code does not come ends some time after its window.
  const since = Math.min(step.sent_at, step.payment.expires_at.getTime());
  const submission = isTooLate(capabilities, since, deps.clock.now())
    ? NOT_SENT
    : await provider.continue(collectionOf(deps, store, step.payment, step.attempt), input);
  // "unavailable" concerns this request only: an earlier request with the same code may have arrived. The attempt stays open
  // and is polled.
  if (submission.kind === 'unavailable') {
    if (step.is_first) await unmarkStep(store.db, step.attempt);
    if (submission.input_rejected) throw malformedCode();
    throw new Problem(502, 'The provider could not take it now. The charge is still under way: try again.');
  }
  const payer = input.kind === 'card' ? input.token : undefined;
  const applied = await applyOne(deps, store, reportOfStep(placeOf(deps, store), step, submission, capabilities, payer));
  return resultOf(applied, attempt.id, submission);
}

/**
 * Returns the team settings that affect a charge whose request carries only the team's id. The sandbox has neither transaction
 * limits nor fraud rules and needs no query.
 */
async function teamSettings(
  { terms }: Pick<PaymentDeps, 'terms'>,
  environment: Environment,
  team_id: bigint,
): Promise<{ level: Level; is_screened: boolean }> {
  if (environment === 'sandbox') return { level: null, is_screened: false };
  const team = await terms.of(team_id);
  return { level: levelOf(environment, team), is_screened: team.abuse_rules };
}

function placeOf({ config }: Pick<PaymentDeps, 'config'>, { environment }: Store) {
  return { config, environment };
}

/**
 * Builds the result from the state of the attempt, not from the provider's response: a callback or poll may have changed it
 * before.
 * @throws Problem 402 when the attempt was declined or the payment can no longer take the money
 */
function resultOf(applied: Applied, attempt_id: string, submission: Submission): Charged {
  const attempt = attemptIn(applied, attempt_id);
  const { payment, attempts } = applied;
  if (isOpen(attempt)) {
    return { payment, attempts, attempt, action: submission.kind === 'accepted' ? submission.next : null };
  }
  if (attempt.status !== 'succeeded') {
    if (submission.kind === 'refused') throw declined(submission.reason, submission.message);
    throw declined(reasonOf(attempt), attempt.message ?? 'declined');
  }
  if (isUnpaid(payment.status)) throw declined(reasonOf(payment), `The payment is ${payment.status}: what was paid goes back.`);
  return { payment, attempts, attempt, action: null };
}

function attemptIn({ attempts }: Applied, id: string): AttemptRow {
  return must(
    attempts.find((attempt) => attempt.id === id),
    'the attempt exists',
  );
}

/** Returns the error when no provider took the charge. A wrong state is reported before a missing provider. */
async function notTaken(store: Store, ref: PaymentRef): Promise<Problem> {
  return store.db.transaction(async (tx) => {
    const payment = must((await lockPayments(tx, [ref]))[0], 'the payment was found before');
    if (!isChargeable(payment) || (await attemptsOf(tx, [ref])).some(isUnderWay)) return wrongState(payment);
    return new Problem(502, `No payment provider could take the charge. The payment is still ${payment.status}: try again.`);
  });
}
