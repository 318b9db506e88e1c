import { notFound, Problem } from '../../../../kit/errors.ts';
import { html } from '../../../../kit/html.ts';
import { approvalFault, refuseApproval } from '../../../../tenants/approvals/faults.ts';
import { type Decision, isOperation } from '../../../../tenants/approvals/schema.ts';
import { decide, lockRunnable, withdraw } from '../../../../tenants/approvals/service.ts';
import { writeDone } from '../../../../tenants/approvals/store.ts';
import { wantedOf } from '../../../../tenants/approvals/wanted.ts';
import { approvalActor } from '../../approvals/actor.ts';
import { toApproval } from '../../approvals/held.ts';
import { approve, runOperation } from '../../approvals/run.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { makeKeyIn, rollKeyIn, type WantedKey } from '../developers/keys/service.ts';
import { shownFault } from '../../parts/fault.ts';
import { madePage } from '../developers/keys/views.ts';
import { approvalOf, showApproval } from './one.ts';
import { approvalFaultText } from './parts.ts';

/** Approves a request, and runs it. */
export function submitApprove(visit: TeamVisit): Promise<Answer> {
  return shown(visit, 'approve', async () => approve(visit, await approvalOf(visit)));
}

/** Runs an approved operation whose outcome is unknown. */
export function submitRun(visit: TeamVisit): Promise<Answer> {
  return shown(visit, null, async () => {
    const row = await approvalOf(visit);
    if (!isOperation(row)) throw notFound();
    await runOperation(visit, row.id);
  });
}

/** Rejects a request. */
export function submitReject(visit: TeamVisit): Promise<Answer> {
  return shown(visit, 'reject', async () => {
    const { control, secrets } = visit.approvals;
    const { id } = await approvalOf(visit);
    await control.transaction((tx) => decide(tx, secrets, approvalActor(visit), id, 'rejected'));
  });
}

/** Withdraws a request. */
export function submitWithdraw(visit: TeamVisit): Promise<Answer> {
  return shown(visit, 'withdraw', async () => {
    const { id } = await approvalOf(visit);
    await visit.approvals.control.transaction((tx) => withdraw(tx, approvalActor(visit), id));
  });
}

/** Makes the approved key and shows it to the requester, only once. */
export async function submitKey(visit: TeamVisit): Promise<Answer> {
  const { control, secrets } = visit.approvals;
  const { id } = await approvalOf(visit);
  try {
    const made = await control.transaction(async (tx) => {
      const row = await lockRunnable(tx, approvalActor(visit), id);
      if (row.asked_by !== visit.session.user.id) refuseApproval('not_own');
      if (row.operation !== 'key.create' && row.operation !== 'key.roll') throw notFound();
      const { body } = wantedOf(secrets, row);
      const { expires_at } = body as { expires_at: string | null };
      const end = expires_at === null ? null : new Date(expires_at);
      // The idempotency key of the requesting form, so that it makes one API key, as without a second person.
      const asked = { ...visit, formKey: row.form_key, params: { ...visit.params, id: String(body.id ?? '') } };
      const key =
        row.operation === 'key.create'
          ? await makeKeyIn(tx, asked, { ...(body as unknown as WantedKey), expires_at: end })
          : await rollKeyIn(tx, asked, { overlap_ms: Number(body.overlap_ms), expires_at: end });
      if (key === null) refuseApproval('decided');
      await writeDone(tx, id, key.id);
      return key;
    });
    return madePage(visit, made);
  } catch (error) {
    return faultPage(visit, error);
  }
}

/** Decisions by the names of their buttons, which are those of the notices on the page. */
const DECISIONS = { approve: 'approved', reject: 'rejected', withdraw: 'withdrawn' } as const;

/**
 * Runs an action on an approval and redirects to its page, which shows a rejection.
 * @param done the decision that is made; null: another action
 */
async function shown(visit: TeamVisit, done: keyof typeof DECISIONS | null, work: () => Promise<void>): Promise<Answer> {
  try {
    await work();
  } catch (error) {
    if (done === null || !(await isOwnDecision(visit, DECISIONS[done], error))) return faultPage(visit, error);
  }
  const { id = '' } = visit.params;
  return done === null ? toApproval(visit, id) : redirect(`${visit.base}/approvals/${id}?done=${done}`);
}

/** Returns whether a decision was rejected because this person had made it before: the form was submitted again. */
async function isOwnDecision(visit: TeamVisit, decision: Decision, error: unknown): Promise<boolean> {
  if (approvalFault(error) !== 'decided') return false;
  const row = await approvalOf(visit);
  return row.decision === decision && row.decided_by === visit.session.user.id;
}

/** Shows an error on the page of the approval. @throws the error itself when the page has no text for it */
function faultPage(visit: TeamVisit, error: unknown): Promise<Answer> {
  if (!(error instanceof Problem) || error.status === 404) throw error;
  const text = approvalFaultText(visit.language, error);
  const fault = shownFault(visit.language, error);
  return showApproval(visit, text === null ? fault : { ...fault, message: html`${text}` });
}
