import { must, Problem } from '../../kit/errors.ts';
import { retried } from '../../kit/retried.ts';
import type { Db, Tx } from '../../kit/sql.ts';
import { compactPhone } from './phone.ts';
import type { CustomerRow } from './schema.ts';
import { createCustomer, type CustomerContext, takenAddress } from './service.ts';
import { findCustomer, findHolders } from './store.ts';

const MAX_RUNS = 3;

/** How a request identifies someone who may already be a customer: by e-mail address, phone number or both. */
export interface Named {
  name?: string;
  email?: string;
  phone?: string;
}

/**
 * Returns the customer with the e-mail address, else the one with the phone number, else a new one. Payments use the same
 * order.
 * @param named an object of a request may have other fields, which nothing has validated: they are not stored
 * @throws a unique violation when another transaction creates the same customer: {@link creatingCustomers} retries it
 */
export async function findOrCreate(tx: Tx, context: CustomerContext, team_id: bigint, named: Named): Promise<CustomerRow> {
  const found = await find(tx, team_id, named);
  if (found) return found;
  try {
    const { name = null, email = null, phone = null } = named;
    return await createCustomer(tx, context, team_id, { name, email, phone });
  } catch (error) {
    // Another transaction has created the customer since, and the check before the insert rejected the duplicate.
    const made = error instanceof Problem ? await find(tx, team_id, named) : undefined;
    if (made) return made;
    throw error;
  }
}

async function find(tx: Tx, team_id: bigint, { email, phone }: Named): Promise<CustomerRow | undefined> {
  const number = phone === undefined ? null : compactPhone(phone);
  const holders = await findHolders(tx, { team_id, id: '', email: email ?? null, phone: number });
  const id = holders.email ?? holders.phone;
  return id === undefined ? undefined : must(await findCustomer(tx, { team_id, id }), 'its address was just found');
}

/** Runs a transaction that uses {@link findOrCreate}. Retries it when another transaction created the customer concurrently. */
export function creatingCustomers<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retried(
    MAX_RUNS,
    (error) => takenAddress(error) !== null,
    () => db.transaction(work),
  );
}
