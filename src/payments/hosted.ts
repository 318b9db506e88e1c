import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import type { Store } from '../db/stores.ts';
import { payerHash } from '../customers/payer-hash.ts';
import { type Secrets, sha256 } from '../kit/crypto.ts';
import { must, Problem } from '../kit/errors.ts';
import type { Tx } from '../kit/sql.ts';
import type { PayerInput } from '../providers/contract.ts';
import { channelById } from '../reference/channels.ts';
import { parsePhone } from '../reference/phones.ts';
import { findTeam } from '../teams/store.ts';
import { attemptsOf } from './attempts-store.ts';
import { type Charged, charge, continueCharge } from './charge.ts';
import type { Charge } from './instrument.ts';
import { type AttemptRow, isOpen, type PaymentRow } from './schema.ts';
import { findPayment, lockPayments, type PaymentRef, writeClaim } from './store.ts';
import { readToken } from './token.ts';

/** A payment as its hosted page needs it. */
export interface Hosted {
  store: Store;
  payment: PaymentRow;
  /** Oldest first. */
  attempts: AttemptRow[];
}

/** Whose the hosted page is, seen from one browser. */
export type Holder = 'nobody' | 'this' | 'another';

/** Opens the payment of an authorization_token; null for a token that this server did not make. */
export async function openHosted(deps: Deps, token: string): Promise<Hosted | null> {
  const subject = readToken(deps.secrets, token);
  if (!subject) return null;
  const store = deps.stores[subject.environment].of(subject.team_id);
  const ref = { team_id: subject.team_id, id: subject.payment_id };
  // In this order: a payment that looks untouched is never shown beside attempts that have ended since.
  const attempts = await attemptsOf(store.db, [ref]);
  const payment = await findPayment(store.db, ref.team_id, ref.id);
  return payment ? { store, payment, attempts } : null;
}

/** Whether this server made the token, told without the database. */
export function isHostedToken({ secrets }: Pick<Deps, 'secrets'>, token: string): boolean {
  return readToken(secrets, token) !== null;
}

/** The name the payer knows the merchant by. */
export async function merchantName(deps: Deps, team_id: bigint): Promise<string> {
  return must(await findTeam(deps.stores.control, team_id), 'a payment has a team').name;
}

/** The attempt that is moving money, or may be. */
export function openAttempt(attempts: readonly AttemptRow[]): AttemptRow | undefined {
  return attempts.find(isOpen);
}

/** @param browser the secret of the browser's cookie; null when it sent none */
export function holderOf(payment: Pick<PaymentRow, 'claim'>, browser: string | null): Holder {
  if (!payment.claim) return 'nobody';
  return browser !== null && payment.claim.equals(sha256(browser)) ? 'this' : 'another';
}

/** Whether the typed number or account is one that this payment was charged on: who knows it may take the page over. */
export function wasCharged(secrets: Secrets, attempts: readonly AttemptRow[], typed: string): boolean {
  return attempts.some(({ team_id, payer, payer_hash, country, channel }) => {
    // A card attempt's payer is a token, which nobody has to know.
    if (channelById(channel)?.kind === 'card') return false;
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
 * Charges on behalf of a browser. The browser claims the page in the transaction that stores the intent, so that of two
 * browsers that submit at once exactly one charges, and that one has the page.
 * @throws Problem 403 when the page is another browser's, and whatever {@link charge} throws
 */
export function chargeFrom(deps: Deps, { store, payment }: Hosted, browser: string, wanted: Charge): Promise<Charged> {
  const ref = { team_id: payment.team_id, id: payment.id };
  return charge(deps, store, ref, wanted, {
    started: async (tx, attempt_id) => {
      // A number that we filled in proves nothing about who sits there.
      await claim(deps, tx, ref, browser, { typed: wanted.method_id ? null : wanted.payer, attempt_id });
    },
  });
}

/** A further step on the attempt under way; the browser claims a page that nobody has: a charge by the API has no browser. */
export async function continueFrom(
  deps: Deps,
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
 * Hands the page to a browser whose payer typed the charged number.
 * @throws Problem 403 for another number, and while a charge is under way
 */
export async function takeOver(deps: Deps, { store, payment }: Hosted, browser: string, typed: string): Promise<void> {
  const ref = { team_id: payment.team_id, id: payment.id };
  await store.db.transaction((tx) => claim(deps, tx, ref, browser, { typed }));
}

interface Proof {
  typed: string | null;
  /** The attempt this submit makes, which proves nothing. */
  attempt_id?: string;
}

async function claim(deps: Deps, tx: Tx, ref: PaymentRef, browser: string, proof: Proof = { typed: null }): Promise<void> {
  const [payment] = await lockPayments(tx, [ref]);
  const holder = payment && holderOf(payment, browser);
  if (!payment || holder === 'this') return;
  if (holder === 'another') {
    const earlier = (await attemptsOf(tx, [ref])).filter(({ id }) => id !== proof.attempt_id);
    if (earlier.some(isOpen) || proof.typed === null || !wasCharged(deps.secrets, earlier, proof.typed)) throw elsewhere();
  }
  await writeClaim(tx, ref, payment.claim, sha256(browser));
}

/** 403: the page is another browser's. */
export function elsewhere(): Problem {
  return new Problem(403, 'The payment is being made in another browser.');
}
