import type { Requester } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import { randomBase62, type Secrets } from '../../kit/crypto.ts';
import { notFound } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { dropMails } from '../../tenants/outbox/store.ts';
import { isDeleted, tableOf, tablesTo } from './catalogue.ts';
import { pseudonymise } from './pseudonymise.ts';
import { NO_IDENTITY, NOBODY } from './redact.ts';
import { deleteRows } from './rows-store.ts';
import { eraseRow, foundIn, withFound } from './rules.ts';
import { sealKnown } from './known.ts';
import { type Erasure, hasApprovedRecord, insertErasure } from './store.ts';
import type { CustomerRow } from '../../core/customers/schema.ts';
import { announce, type CustomerContext } from '../../core/customers/service.ts';
import { type CustomerRef, lockCustomer, updateCustomer } from '../../core/customers/store.ts';

const DELETED = 'Deleted User';
const PROFILE = tableOf('customers');
const DELETED_TABLES = tablesTo('customer').filter(isDeleted);

/**
 * When an erasure is repeated, to cover data written while it ran. Deliveries are answered after half a minute (their
 * deadline is ten seconds); charges, which may wait for a provider, after five minutes. It is repeated every six hours while
 * a payment of the customer is not final, or a number is still needed, for example by a charge with an unknown outcome.
 */
export const REVISITS_MS = { first: 30_000, last: 300_000, working: 6 * 3_600_000 };

/** Returns whether a customer was erased: it has neither e-mail address nor phone number, and its name is the pseudonym. */
export function isErased(row: Pick<CustomerRow, 'name' | 'email' | 'phone'>): boolean {
  return row.email === null && row.phone === null && row.name?.startsWith(DELETED) === true;
}

/**
 * Erases a customer in the caller's transaction. It archives and anonymises the profile, deletes addresses and saved
 * methods, pseudonymises the customer's payments and invoices, removes the customer from the search and records an audit
 * entry. Payments remain. Idempotent.
 * @param by the API key that requests the erasure
 * @throws Problem 404 when there is no such customer
 */
export async function eraseCustomer(
  tx: Tx,
  secrets: Secrets,
  context: CustomerContext,
  ref: CustomerRef,
  by: Requester,
): Promise<CustomerRow> {
  const before = isId('cus', context.environment, ref.id) ? await lockCustomer(tx, ref) : undefined;
  if (!before) throw notFound('Customer');
  if (isErased(before)) return before;
  const tax_id_kept = before.tax_id !== null && (await hasApprovedRecord(tx, ref));
  const row = anonymised(before, tax_id_kept, new Date(context.at));
  await updateCustomer(tx, row);
  const known = withFound(NO_IDENTITY, foundIn(before, PROFILE), null);
  await dropMails(tx, ref.team_id, known.emails);
  const { payments, identity } = await pseudonymise(tx, secrets, context.environment, row, known);
  // Deleted after the payments are locked, because saving the number of a successful payment locks in the same order.
  await deleteTheirs(tx, ref);
  await announce(tx, context, { ...row, tax_id: null }, 'customer.deleted');
  await auditErasure(tx, by, {
    team_id: ref.team_id,
    customer_id: ref.id,
    key_id: by.id,
    request_id: by.request_id,
    payments,
    tax_id_kept,
    erased_at: row.updated_at,
    revisit_at: new Date(context.at + REVISITS_MS.first),
    known_sealed: sealKnown(secrets, ref, identity),
  });
  return row;
}

/** Returns the anonymised row. The pseudonym is random, not derived, so it cannot be reversed. */
function anonymised(before: CustomerRow, tax_id_kept: boolean, now: Date): CustomerRow {
  const pseudonym = `${DELETED} ${randomBase62(10)}`;
  return {
    ...eraseRow(before, PROFILE, { pseudonym, redactor: NOBODY }),
    tax_id: tax_id_kept ? before.tax_id : null,
    archived_at: now,
    event_count: before.event_count + 1,
    updated_at: now,
  };
}

/** Deletes the customer's rows in the tables whose rows an erasure deletes: saved payment methods with their vault entries. */
export async function deleteTheirs(tx: Tx, ref: CustomerRef): Promise<void> {
  for (const table of DELETED_TABLES) await deleteRows(tx, table, ref);
}

/** Writes the audit entry, and the erasure's progress in a separate table. */
async function auditErasure(tx: Tx, by: Requester, erasure: Erasure): Promise<void> {
  const { team_id, customer_id, erased_at } = erasure;
  await record(tx, by, { team_id, action: 'customer.erase', resource_id: customer_id, at: erased_at.getTime() });
  await insertErasure(tx, erasure);
}
