import { Problem } from '../../../kit/errors.ts';
import type { Tx } from '../../../kit/sql.ts';
import { shownIn } from '../../../tenants/api/idempotency.ts';
import type { PaidTo, PaysOutTo } from '../../../tenants/api/route.ts';
import { refuseApproval } from '../../../tenants/approvals/faults.ts';
import { type ApprovalRow, isOperation } from '../../../tenants/approvals/schema.ts';
import { decide, lockOperation } from '../../../tenants/approvals/service.ts';
import { writeDone, writeFailed } from '../../../tenants/approvals/store.ts';
import { wantedOf } from '../../../tenants/approvals/wanted.ts';
import type { TeamVisit } from '../page.ts';
import { isOtherDestination } from './account.ts';
import { approvalActor } from './actor.ts';
import { isOtherPayee } from './payee.ts';
import { isPerformed, perform } from './perform.ts';
import { ranBefore } from './ran.ts';

/**
 * Approves as the second person, and runs the request. A key is made later by the requester, because only they may see it.
 * @throws Problem 404; 403 for the requester; 409 when it is decided or expired; any error after which it is unknown whether the
 *   operation ran
 */
export async function approve(visit: TeamVisit, row: ApprovalRow): Promise<void> {
  const { control, secrets } = visit.approvals;
  const wanted = wantedOf(secrets, row);
  const decided = (tx: Tx) => decide(tx, secrets, approvalActor(visit), row.id, 'approved');
  if (!isPerformed(row.operation)) {
    await control.transaction(decided);
    return isOperation(row) ? runOperation(visit, row.id) : undefined;
  }
  let rejection: unknown;
  try {
    await control.transaction(async (tx) => {
      await decided(tx);
      await perform(tx, visit, row, wanted).catch((error: unknown) => {
        rejection = error;
        throw error;
      });
      await writeDone(tx, row.id, null);
    });
  } catch (error) {
    if (error !== rejection || !isFinal(error)) throw error;
    await control.transaction(async (tx) => {
      await decided(tx);
      await writeFailed(tx, row.id, error.message);
    });
  }
}

/**
 * Runs an approved operation, as the person of the visit. The idempotency key is that of the requesting form, so that the operation runs
 * once however often this is called. A rejection by the API ends the approval. After any other error it stays approved, to be run again.
 * @throws Problem as {@link lockOperation} does; any error after which it is unknown whether the operation ran
 */
export async function runOperation(visit: TeamVisit, id: string): Promise<void> {
  const { control, secrets } = visit.approvals;
  const row = await control.transaction((tx) => lockOperation(tx, approvalActor(visit), id));
  const wanted = wantedOf(secrets, row);
  const { params = {}, body } = wanted;
  const verifyPayee = (payee: PaidTo) => {
    if (isOtherPayee(wanted, payee)) refuseApproval('payee');
  };
  const verifyDestination = (before: PaysOutTo) => {
    if (isOtherDestination(wanted, before)) refuseApproval('account');
  };
  const verify = { verifyPayee, verifyDestination };
  try {
    const reply = await visit.api(row.operation, { params, body, idempotency_key: row.form_key, ...verify });
    await writeDone(control, id, shownIn(reply));
  } catch (error) {
    if (!isFinal(error)) throw error;
    const before = await ranBefore(visit, row, wanted);
    if (before) await writeDone(control, id, before.resource_id);
    else await writeFailed(control, id, error.message);
  }
}

/** Returns whether the error is a rejection that a repetition would not change. */
function isFinal(error: unknown): error is Problem {
  return error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429;
}
