import { Problem } from '../../kit/errors.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Action } from '../../tenants/audit/actions.ts';
import { entriesAbout } from '../../tenants/audit/store.ts';
import type { TeamVisit } from './page.ts';

/** Statuses with which an operation rejects an object that is not there, or not in a state that allows it. */
const REJECTED: readonly number[] = [400, 404, 409];

/** Entries about one object that are read, oldest first: more than people make about one. */
const MAX_ENTRIES = 1_000;

/**
 * Runs an operation that takes no idempotency key. Its form can be submitted again after it was done: the rejection of an object that is
 * as the form wanted it is no error.
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
 * Whether the audit trail has an action of this team about an object: of what is done at most once to one, and of what is gone.
 * @param db where the trail of the action is; default: the store
 */
export async function isRecorded(
  { store, team }: TeamVisit,
  action: Action,
  id: string,
  db: Queryable = store.db,
): Promise<boolean> {
  const entries = await entriesAbout(db, team.id, [id], MAX_ENTRIES);
  return entries.some((entry) => entry.action === action);
}
