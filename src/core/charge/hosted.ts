import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { payerHash } from '../customers/payer-hash.ts';
import { type Secrets, sha256 } from '../../kit/crypto.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import type { PayerInput } from '../../providers/adapters/contract.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { parsePhone } from '../../providers/reference/phones.ts';
import type { Brand, PayerLanguage } from '../../tenants/teams/schema.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { attemptsOf } from '../attempts/store.ts';
import { findWithRows } from '../payments/archived.ts';
import { type Charged, charge, continueCharge } from './charge.ts';
import type { Applied } from '../payments/change.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Charge } from './instrument.ts';
import { cancelAttempt, isCancellable } from './poll.ts';
import { wrongState } from './refusals.ts';
import { type AttemptRow, isOpen, isUnderWay } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { isFinal } from '../payments/states.ts';
import { lockPayments, type PaymentRef, writeClaim } from '../payments/store.ts';
import { readToken } from '../payments/token.ts';

/** A payment with the data its hosted page needs. */
export interface Hosted {
  store: Store;
  payment: PaymentRow;
  /** Oldest first. */
  attempts: AttemptRow[];
}

/** Which browser holds the hosted page, from the view of one browser. */
export type Holder = 'none' | 'this' | 'another';

/** Returns the payment of an authorization_token; null for a token that this server did not create. */
export async function openHosted(deps: PaymentDeps, token: string): Promise<Hosted | null> {
  const subject = readToken(deps.secrets, token);
  if (!subject) return null;
  const store = deps.stores[subject.environment].of(subject.team_id);
  const ref = { team_id: subject.team_id, id: subject.payment_id };
  const found = await findWithRows(store.db, ref);
  return found ? { store, ...found } : null;
}

/** Whether this server created the token; checked without the database. */
export function isHostedToken({ secrets }: Pick<PaymentDeps, 'secrets'>, token: string): boolean {
  return readToken(secrets, token) !== null;
}

/** What payers see of a merchant. */
export interface Merchant extends Brand, PayerLanguage {
  name: string;
}

/** Returns what payers see of the merchant. */
export async function merchantOf(deps: PaymentDeps, team_id: bigint): Promise<Merchant> {
  const team = must(await findTeam(deps.stores.control, team_id), 'a payment has a team');
  const { name, brand_color, payer_language, payer_language_always } = team;
  return { name, brand_color, payer_language, payer_language_always };
}

/** Returns the attempt that is moving money or may be, or undefined. */
export function openAttempt(attempts: readonly AttemptRow[]): AttemptRow | undefined {
  return attempts.find(isOpen);
}

/**
 * Returns which browser holds the page.
 * @param browser the secret of the browser's cookie; null when it sent none
 */
export function holderOf(payment: Pick<PaymentRow, 'claim'>, browser: string | null): Holder {
  if (!payment.claim) return 'none';
  return browser !== null && payment.claim.equals(sha256(browser)) ? 'this' : 'another';
}

/**
 * Returns which browser holds the page. Unlike in {@link holderOf}, a claim does not bind other browsers while no provider can have a
 * charge of the payment and no number is stored that would let them take the page over. This is so after a retry that was rejected before
 * its charge was stored, and after a card charge that no provider took. Otherwise the other browsers could not pay until the window ends.
 */
export function bindingHolderOf({ payment, attempts }: Pick<Hosted, 'payment' | 'attempts'>, browser: string | null): Holder {
  const holder = holderOf(payment, browser);
  const isBinding = payment.status !== 'pending' || attempts.some((attempt) => mayExist(attempt) || hasNumber(attempt));
  return holder === 'another' && !isBinding ? 'none' : holder;
}

/** Whether a provider has the attempt, or may have it. */
function mayExist(attempt: AttemptRow): boolean {
  return attempt.status !== 'unavailable' || isUnderWay(attempt);
}

/** Whether the attempt has a number or account that a payer can know. The payer of a card attempt is a token. */
function hasNumber({ channel, payer, payer_hash }: AttemptRow): boolean {
  return channelById(channel)?.kind !== 'card' && (payer !== null || payer_hash !== null);
}

/** Whether the typed number or account is one on which this payment was charged. Whoever knows it may take the page over. */
export function wasCharged(secrets: Secrets, attempts: readonly AttemptRow[], typed: string): boolean {
  return attempts.filter(hasNumber).some(({ team_id, payer, payer_hash, country }) => {
    const phone = country ? parsePhone(typed, country) : null;
    const numbers = phone ? [phone.e164, typed] : [typed];
    return numbers.some((number) =>
      payer === null ? payer_hash === payerHash(secrets, team_id, number) : compact(number) === compact(payer),
    );
  });
}

function compact(number: string): string {
  return number.replace(/\s/g, '');
}

/**
 * Charges on behalf of a browser. The browser claims the page in the transaction that stores the intent: of two browsers that
 * submit at the same time exactly one charges, and that one holds the page.
 * @throws Problem 403 when another browser holds the page, and whatever {@link charge} throws
 */
export function chargeFrom(deps: PaymentDeps, { store, payment }: Hosted, browser: string, wanted: Charge): Promise<Charged> {
  const ref = { team_id: payment.team_id, id: payment.id };
  return charge(deps, store, ref, wanted, {
    started: async (tx, attempt_id) => {
      // A saved number that we filled in is no proof of identity.
      await claim(deps, tx, ref, browser, { typed: wanted.method_id ? null : wanted.payer, attempt_id });
    },
  });
}

/**
 * Submits a further step of the attempt under way. The browser claims the page if no browser holds it: a charge by the API has
 * none.
 * @throws Problem 403 when another browser holds the page, and whatever {@link continueCharge} throws
 */
export async function continueFrom(
  deps: PaymentDeps,
  { store, payment }: Hosted,
  browser: string,
  attempt: AttemptRow,
  input: PayerInput,
  by: Actor,
): Promise<Charged> {
  const ref = { team_id: payment.team_id, id: payment.id };
  await store.db.transaction((tx) => claim(deps, tx, ref, browser));
  return continueCharge(deps, store, payment, attempt, input, by);
}

/**
 * Asks the provider to cancel the attempt under way. The payer's wish is recorded before the provider is called.
 * @returns the payment afterwards
 * @throws Problem 400 when the provider cannot cancel it, 403 when another browser holds the page
 */
export async function cancelFrom(
  deps: PaymentDeps,
  { store, payment }: Hosted,
  browser: string,
  attempt: AttemptRow,
  by: Actor,
): Promise<Applied> {
  if (!(await isCancellable(deps, store, attempt))) throw wrongState(payment);
  const ref = { team_id: payment.team_id, id: payment.id };
  await store.db.transaction(async (tx) => {
    await claim(deps, tx, ref, browser);
    const at = deps.clock.now();
    await record(tx, by, { team_id: ref.team_id, action: 'payment.cancel', resource_id: ref.id, at });
  });
  const applied = await cancelAttempt(deps, store, attempt);
  if (!applied) throw wrongState(payment);
  deps.wake.ring(store.environment);
  return applied;
}

/**
 * Assigns the page to a browser whose payer typed a number that was charged.
 * @throws Problem 403 for another number, and while a charge is under way; 400 after the end of the payment
 */
export async function takeOver(deps: PaymentDeps, { store, payment }: Hosted, browser: string, typed: string): Promise<void> {
  const ref = { team_id: payment.team_id, id: payment.id };
  await store.db.transaction(async (tx) => {
    const [locked] = await lockPayments(tx, [ref]);
    if (locked && isFinal(locked.status)) throw wrongState(locked);
    await claim(deps, tx, ref, browser, { typed });
  });
}

interface Proof {
  typed: string | null;
  /** The attempt that this submission creates; it is no proof of earlier knowledge. */
  attempt_id?: string;
}

async function claim(deps: PaymentDeps, tx: Tx, ref: PaymentRef, browser: string, proof: Proof = { typed: null }): Promise<void> {
  const [payment] = await lockPayments(tx, [ref]);
  const holder = payment && holderOf(payment, browser);
  if (!payment || holder === 'this') return;
  if (holder === 'another') {
    const attempts = (await attemptsOf(tx, [ref])).filter(({ id }) => id !== proof.attempt_id);
    const isProven = !attempts.some(isOpen) && proof.typed !== null && wasCharged(deps.secrets, attempts, proof.typed);
    if (!isProven && bindingHolderOf({ payment, attempts }, browser) === 'another') throw otherBrowser();
  }
  await writeClaim(tx, ref, payment.claim, sha256(browser));
}

/** Returns the error 403: another browser holds the page. */
export function otherBrowser(): Problem {
  return new Problem(403, 'The payment is being made in another browser.');
}
