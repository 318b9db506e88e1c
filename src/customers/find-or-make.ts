import { must, Problem } from '../kit/errors.ts';
import { type Db, pgCode, pgConstraint, type Tx, UNIQUE_VIOLATION } from '../kit/sql.ts';
import { compactPhone } from './phone.ts';
import type { CustomerRow } from './schema.ts';
import { createCustomer, type CustomerContext } from './service.ts';
import { findCustomer, findHolders } from './store.ts';

const MOST_RUNS = 3;

/** How someone is named who may be a customer already: by an address, a number or both. */
export interface Named {
  name?: string;
  email?: string;
  phone?: string;
}

/**
 * The customer who has the e-mail address, else the phone number, else one that is made, as payments find theirs.
 * @throws a unique violation where another transaction is just making the same one: {@link makingCustomers} runs it again
 */
export async function findOrMake(tx: Tx, context: CustomerContext, team_id: bigint, named: Named): Promise<CustomerRow> {
  const found = await find(tx, team_id, named);
  if (found) return found;
  try {
    return await createCustomer(tx, context, team_id, named);
  } catch (error) {
    // Made by another transaction since: the check before the insert has seen it already.
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

/** Runs a transaction with {@link findOrMake} in it, again where another one has made the customer meanwhile. */
export async function makingCustomers<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      const made = pgCode(error) === UNIQUE_VIOLATION && /^customers_(email|phone)$/.test(pgConstraint(error) ?? '');
      if (!made || run === MOST_RUNS) throw error;
    }
  }
}
