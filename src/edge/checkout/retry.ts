import { payer } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { getAccount } from '../../core/accounts/service.ts';
import { attemptsOf } from '../../core/attempts/store.ts';
import { type Hosted, holderOf, openHosted, otherBrowser } from '../../core/charge/hosted.ts';
import { wrongState } from '../../core/charge/refusals.ts';
import { customerProblem } from '../../core/customers/payer.ts';
import { creating } from '../../core/payments/create-within.ts';
import { insertRetry, isRetryable, latestRetry } from '../../core/payments/retry.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import { lockPayments } from '../../core/payments/store.ts';
import { makeToken } from '../../core/payments/token.ts';
import { must } from '../../kit/errors.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { levelOf, paymentProblem } from '../../money/transaction-limits/service.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { invoiceOf, invoiceTakesRetry, lockForRetry, replacePayment } from '../invoices/retry.ts';
import { countLinkRetry, linkTakesRetry } from '../links/retry.ts';
import { linkOf } from '../links/uses.ts';
import type { CheckoutContext, Visit } from './context.ts';
import type { CheckoutDeps } from './deps.ts';

/*
 * Another try on the page of a failed payment (docs/decisions/0085-retries.md). Links and invoices match their payments themselves, so
 * their payments may always be tried again. Payments that the API created may be tried again only where the team permits it.
 */

/** Returns whether the page of a payment offers this browser another try. */
export async function offersRetry({ deps }: CheckoutContext, { browser }: Visit, hosted: Hosted): Promise<boolean> {
  const { store, payment, attempts } = hosted;
  const at = deps.clock.now();
  if (holderOf(payment, browser) === 'another' || !(await isRetryable(store.db, payment, attempts, at))) return false;
  if (!(await hasParties(store, store.db, payment))) return false;
  const [link, invoice] = [linkOf(payment), invoiceOf(payment)];
  if (link) return linkTakesRetry(store.db, link, at);
  if (invoice) return invoiceTakesRetry(store.db, invoice, payment);
  return (await teamOf(deps, payment)).hosted_retry;
}

/**
 * Creates the payment that follows a failed one, for the browser that holds its page. Every change of a payment locks it. A late success
 * is therefore either found here, and nothing is created, or it finds the payment failed and is returned to the payer.
 * @returns null when another submit has created it already
 * @throws Problem 400 another try is not permitted, 402, 403 another browser holds the page, 409 the link has no use left, 422
 */
export async function retryPayment(
  deps: CheckoutDeps,
  hosted: Hosted,
  browser: string,
  request_id: string,
): Promise<Hosted | null> {
  const { store, payment } = hosted;
  const team = await teamOf(deps, payment);
  const problem = paymentProblem(levelOf(store.environment, team), payment.currency, payment.amount_minor);
  if (problem) throw problem;
  const at = deps.clock.now();
  const created = await creating(store.db, async (tx) => {
    const failed = must((await lockPayments(tx, [payment]))[0], 'the payment was found before');
    if (failed.retried_by !== null) return null;
    if (holderOf(failed, browser) === 'another') throw otherBrowser();
    const attempts = await attemptsOf(tx, [failed]);
    const retryable = (await isRetryable(tx, failed, attempts, at)) && (await hasParties(store, tx, failed));
    const inserted = async () => {
      return insertRetry(tx, { caller: { team, store, key_id: failed.key_id }, request_id, at }, failed, browser);
    };
    const successor = retryable ? await insertedFor(tx, team, failed, at, inserted) : null;
    if (!successor) throw wrongState(failed);
    await record(tx, payer(request_id), { team_id: failed.team_id, action: 'payment.retry', resource_id: failed.id, at });
    return successor;
  });
  deps.wake.ring(store.environment);
  return created && { store, payment: created, attempts: [] };
}

/** Inserts the payment as one of its link or invoice. Returns null when that accepts no payment, or the team permits no retries. */
async function insertedFor(
  tx: Tx,
  team: Team,
  failed: PaymentRow,
  at: number,
  insert: () => Promise<PaymentRow>,
): Promise<PaymentRow | null> {
  const [link, invoice] = [linkOf(failed), invoiceOf(failed)];
  if (link) return (await countLinkRetry(tx, link, at)) ? insert() : null;
  if (!invoice) return team.hosted_retry ? insert() : null;
  const row = await lockForRetry(tx, invoice, failed);
  if (!row) return null;
  const successor = await insert();
  await replacePayment(tx, at, row, successor.id);
  return successor;
}

/** Returns whether a new payment could have the customer and the account of this one: neither is erased, blocked or inactive. */
async function hasParties({ environment }: Store, db: Queryable, payment: PaymentRow): Promise<boolean> {
  const { team_id, customer_id, account_id } = payment;
  if (customer_id !== null && (await customerProblem({ environment, db }, team_id, customer_id))) return false;
  return account_id === null || (await getAccount(db, environment, { team_id, id: account_id })).active;
}

async function teamOf({ stores }: CheckoutDeps, { team_id }: PaymentRow): Promise<Team> {
  return must(await findTeam(stores.control, team_id), 'a payment has a team');
}

/** Returns the payment with which the payer continues: the last of a chain of retries. */
export async function latestOf({ deps }: CheckoutContext, { store, payment }: Hosted): Promise<Hosted> {
  const { id } = await latestRetry(store.db, payment);
  return must(await openHosted(deps, tokenOf(deps, store, { team_id: payment.team_id, id })), 'the payment before it names it');
}

/** Returns the token of a payment's page. */
export function tokenOf(
  { secrets }: Pick<CheckoutDeps, 'secrets'>,
  { environment }: Store,
  { team_id, id }: Pick<PaymentRow, 'team_id' | 'id'>,
): string {
  return makeToken(secrets, { environment, team_id, payment_id: id });
}
