import { takenKeys } from '../../tenants/api/idempotency-store.ts';
import { keyOfAsked } from './forms.ts';
import type { TeamVisit } from './page.ts';
import { refuseStale } from './parts/seen.ts';

/** A form that changes an object. */
interface Edit<Values extends object> {
  id: string;
  typed: Values;
  /** Body of the operation. If it depends on the object, that was read before {@link saveOnce} is called. */
  body: object;
  /** Returns the values of the form as an object has them, which the API returns so. */
  storedOf(object: object): Values;
}

/**
 * Saves a form that changes an object, as the person saw the object. When the form is submitted again with the same input, nothing is
 * changed, whatever has happened to the object since. Other input is another change.
 * @param operation such as `PATCH /links/:id`
 * @throws Problem 409 when the object was changed after the form was opened; any error of the operation
 */
export async function saveOnce<Values extends object>(
  visit: TeamVisit,
  operation: string,
  { id, typed, body, storedOf }: Edit<Values>,
): Promise<void> {
  const idempotency_key = keyOfEdit(visit, id, typed);
  // The body of a second submit can differ, because the object is as the first one left it. So the key is looked up, not the request.
  if (await isSaved(visit, operation, idempotency_key)) return;
  const verifySeen = (before: object) => refuseStale(visit, storedOf(before), typed);
  await visit.api(operation, { params: { id }, body, idempotency_key, verifySeen });
}

/** Returns the idempotency key of a form that changes an object: the same for each submit with the same input. */
export function keyOfEdit({ formKey }: TeamVisit, id: string, typed: object): string {
  return keyOfAsked(formKey, [id, typed]);
}

/** Returns whether an operation has run with the key of a form. */
export async function isSaved({ store, team }: TeamVisit, operation: string, key: string): Promise<boolean> {
  return (await takenKeys(store.db, team.id, [{ route: operation, key }])).length > 0;
}
