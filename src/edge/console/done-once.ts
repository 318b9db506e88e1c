import { Problem } from '../../kit/errors.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Action } from '../../tenants/audit/actions.ts';
import { entriesAbout } from '../../tenants/audit/store.ts';
import type { TeamVisit } from './page.ts';

/** Statuses with which an operation rejects an object that does not exist, or is not in a permitted state. */
const REJECTED: readonly number[] = [400, 404, 409];

/** Maximum entries about one object that are read, oldest first: more than people cause. */
const MAX_ENTRIES = 1_000;

/**
 * Runs an operation that accepts no idempotency key. When its form is submitted again after it was done, the rejection is not an error,
 * because the object already is as the form wanted it.
 * @returns null when it was done before
 * @throws Problem as the operation does, when its object is not as the form wanted it
 */
export async function doneOnce<T>(operation: () => Promise<T>, isDone: () => Promise<boolean>): Promise<T | null> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof Problem) || !REJECTED.includes(error.status) || !(await isDone())) throw error;
    return null;
  }
}

/**
 * Returns whether the audit trail has an action of this team about an object. For actions that are done at most once to an object, and
 * for objects that are gone. An entry of a payer does not count: it records a request to the provider, which may reject it.
 * @param db where the trail of the action is; default: the store
 */
export async function isRecorded(
  { store, team }: TeamVisit,
  action: Action,
  id: string,
  db: Queryable = store.db,
): Promise<boolean> {
  const entries = await entriesAbout(db, team.id, [id], MAX_ENTRIES);
  return entries.some((entry) => entry.action === action && entry.actor !== 'payer');
}
