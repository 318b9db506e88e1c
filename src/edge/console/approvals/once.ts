import { Problem } from '../../../kit/errors.ts';
import { reusedKey, whileUnused } from '../../../tenants/api/idempotency.ts';
import type { Reply } from '../../../tenants/api/route.ts';
import { isOperation } from '../../../tenants/approvals/schema.ts';
import { ask, type Request } from '../../../tenants/approvals/service.ts';
import { findByForm } from '../../../tenants/approvals/store.ts';
import type { ApiCall, TeamVisit } from '../page.ts';
import { approvalActor } from './actor.ts';

/**
 * Runs work while the operation of a form cannot run: one that is running is waited for, and one that begins waits.
 * @returns the error of the operation, without running the work, when it has run or is not possible any more
 */
export type Turn = (work: () => Promise<string>) => Promise<{ done: string } | { refused: Problem }>;

/** The form has asked for an approval. */
class Asked extends Problem {
  readonly approval: string;

  constructor(approval: string) {
    super(409, 'This waits for a second person, or was rejected by one.');
    this.approval = approval;
  }
}

/**
 * Runs an operation of the API, unless its form has asked for an approval. It looks for the approval while it holds its idempotency key or
 * the row that it changes, and {@link askUnlessRan} stores one while it holds the same. So a form that is submitted twice while a threshold
 * is set does not run after it has asked.
 * @returns the id of the approval when the form has asked
 * @throws Problem of the operation
 */
export async function runUnlessAsked(
  visit: TeamVisit,
  operation: string,
  call: ApiCall & { idempotency_key: string },
): Promise<{ reply: Reply } | { approval: string }> {
  const verifyFirst = async () => {
    const approval = await findByForm(visit.approvals.control, visit.team.id, call.idempotency_key);
    if (approval !== undefined) throw new Asked(approval);
  };
  try {
    return { reply: await visit.api(operation, { ...call, verifyFirst }) };
  } catch (error) {
    if (!(error instanceof Asked)) throw error;
    return { approval: error.approval };
  }
}

/**
 * Requests the approval of a form, unless its operation has run.
 * @param ran returns the result of the operation; null when it has not run, or with another input
 * @param turn for an operation that accepts no idempotency key
 * @throws Problem when the operation cannot run: nobody is asked for it
 */
export async function askUnlessRan<T>(
  visit: TeamVisit,
  request: Request,
  ran: () => Promise<T | null>,
  turn: Turn = (work) => whileKeyUnused(visit, request, work),
): Promise<{ approval: string } | { ran: T }> {
  const { control, secrets } = visit.approvals;
  const asked = () => control.transaction((tx) => ask(tx, secrets, approvalActor(visit), request));
  if (!isOperation(request)) return { approval: await asked() };
  const first = await turn(asked);
  if ('done' in first) return { approval: first.done };
  const before = await ran();
  if (before === null) throw first.refused;
  return { ran: before };
}

async function whileKeyUnused({ team, store, at }: TeamVisit, { operation, form_key }: Request, work: () => Promise<string>) {
  const slot = { team_id: team.id, route: operation, key: form_key };
  return (await whileUnused(store.db, slot, at, work)) ?? { refused: reusedKey() };
}
