import { checkVerified, levelOf } from '../../money/transaction-limits/service.ts';
import { customerProblem } from '../../core/customers/payer.ts';
import { getCustomer } from '../../core/customers/service.ts';
import { invalid, must, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { waitForInvoice, writeMail } from '../../tenants/outbox/service.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { applySteps, ENVIRONMENT } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { type InvoiceRequest, dayOf } from './draft.ts';
import { objectionToTotal } from './items.ts';
import { dueOf } from './present.ts';
import type { InvoiceRow } from './schema.ts';
import { lockInvoice } from './service.ts';
import { nextInvoiceStatus } from './states.ts';
import { takeNumber } from './store.ts';
import { invoiceUrl } from './token.ts';

const DAY_MS = 86_400_000;
/** The last time with a year of four digits, as the database parses it. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Minimum interval between reminders. More than one a day would be spam from our sender address. */
const REMINDER_REST_MS = DAY_MS;
/**
 * Maximum invoice mails of one team to one address in a period. It is more than a customer receives, and too few to flood a
 * mailbox in our name.
 */
const MAILS_TO_ONE_ADDRESS = { count: 100, period_ms: DAY_MS };
const NUMBER_DIGITS = 6;

type SendDeps = Pick<InvoiceDeps, 'config' | 'secrets'>;

/**
 * Mails the invoice to its customer. The first time assigns its number and its page; each further time is a reminder. A
 * customer with only a phone number is not mailed: the merchant passes on the page's URL.
 * @throws Problem 400 nothing is due, 402 unverified team, 404, 422 no address, blocked customer, past due date or total, 429
 */
export async function sendInvoice(tx: Tx, deps: SendDeps, request: InvoiceRequest, team: Team, id: string): Promise<InvoiceRow> {
  const { at } = request;
  const ref = { team_id: team.id, id };
  const before = await lockInvoice(tx, ref);
  request.verify?.(before);
  const trigger = before.status === 'draft' ? 'sent' : 'reminded';
  if (nextInvoiceStatus(before.status, trigger) === null) throw new Problem(400, `The invoice is ${before.status}.`);
  // An unverified team cannot receive payments, and would use our mails to send arbitrary text.
  checkVerified(levelOf(ENVIRONMENT, team));
  const objection = await customerProblem({ environment: ENVIRONMENT, db: tx }, team.id, before.customer_id);
  const profile = await getCustomer(tx, ENVIRONMENT, { team_id: team.id, id: before.customer_id });
  const email = before.email ?? profile.email;
  const reachable = email !== null || (trigger === 'sent' && (before.phone ?? profile.phone) !== null);
  if (!reachable) throw invalid({ customer: ['has no e-mail address'] });
  if (objection) throw objection;
  const changes = trigger === 'sent' ? await issued(tx, deps, before, at) : reminded(before, at);
  const mailed_at = email === null ? null : new Date(at);
  const [row] = await applySteps(tx, at, [{ before, trigger, changes: { ...changes, email, mailed_at } }]);
  const sent = must(row, 'one step, one row');
  if (email !== null) {
    await refuseFlood(tx, team.id, email);
    await mail(tx, sent, email, trigger === 'reminded');
  }
  return sent;
}

/**
 * Returns the fields that the first sending sets permanently.
 * @throws Problem 422 when the due date is in the past, or no channel collects the total
 */
async function issued(tx: Tx, deps: SendDeps, row: InvoiceRow, at: number): Promise<Partial<InvoiceRow>> {
  const { due_date } = row;
  if (due_date !== null && due_date < dayOf(at)) throw invalid({ due_date: ['is in the past: change it first'] });
  // Drafts of earlier releases, whose totals were not checked.
  const objection = objectionToTotal(row);
  if (objection) throw invalid({ items: [objection] });
  const number = `INV-${String(await takeNumber(tx, row.team_id)).padStart(NUMBER_DIGITS, '0')}`;
  const overdue_at = due_date === null ? null : new Date(Math.min(Date.parse(due_date) + DAY_MS, LAST_MS));
  return { number, overdue_at, sent_at: new Date(at), url: invoiceUrl(deps, row) };
}

function reminded({ mailed_at }: InvoiceRow, at: number): Partial<InvoiceRow> {
  const wait_ms = (mailed_at?.getTime() ?? 0) + REMINDER_REST_MS - at;
  if (wait_ms <= 0) return {};
  throw later('The invoice was mailed less than 24 hours ago.', wait_ms);
}

/**
 * Limits mails to an address across all invoices of the team, because each new invoice sends a mail.
 * @throws Problem 429 above the limit
 */
async function refuseFlood(tx: Tx, team_id: bigint, recipient: string): Promise<void> {
  const wait_ms = await waitForInvoice(tx, { team_id, recipient }, MAILS_TO_ONE_ADDRESS);
  if (wait_ms > 0) {
    throw later(`${MAILS_TO_ONE_ADDRESS.count} invoices were mailed to this address in the last 24 hours.`, wait_ms);
  }
}

function later(message: string, wait_ms: number): Problem {
  // HH:MM:SS cannot represent more than one second less than a day.
  const retry_after = Math.min(Math.ceil(wait_ms / 1000), 86_399);
  const extra = { type: 'endpoint', retry_after, retry_after_human: new Date(retry_after * 1000).toISOString().slice(11, 19) };
  return new Problem(429, message, { extra, headers: { 'Retry-After': String(retry_after) } });
}

function mail(tx: Tx, row: InvoiceRow, recipient: string, reminder: boolean): Promise<void> {
  const { team_id, id: invoice, currency, due_date, locale } = row;
  const number = must(row.number, 'sending gives it');
  const url = must(row.url, 'sending gives it');
  const facts = { invoice, number, url, currency, due_date, locale, reminder, due_minor: String(dueOf(row)) };
  return writeMail(tx, { team_id, kind: 'invoice', facts, recipient });
}
