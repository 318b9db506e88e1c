import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { must, notFound, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Actor } from '../audit/actor.ts';
import type { Action } from '../audit/actions.ts';
import { record } from '../audit/record.ts';
import { queueUserMails } from '../people/mail-store.ts';
import { listApprovers, lockMember } from '../people/member-store.ts';
import { isPermitted } from '../people/roles.ts';
import { findUser } from '../people/store.ts';
import { refuseApproval } from './faults.ts';
import { APPROVAL_MS, ASKED_MAIL_MS, type ApprovalRow, type Decision, isOperation, MAX_WAITING, type Wanted } from './schema.ts';
import { approvalState } from './states.ts';
import {
  countWaiting,
  findByForm,
  hasAskedWithin,
  insertApproval,
  lockApproval,
  type NewApproval,
  writeDecision,
} from './store.ts';
import { APPROVING } from './thresholds.ts';
import { sealWanted, wantedOf } from './wanted.ts';

/** The person who requests or decides, in a team and an environment. */
export interface ApprovalActor {
  team: { id: bigint; name: string };
  environment: Environment;
  user_id: string;
  session_id: string;
  by: Actor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A request for the approval of a second person. */
export type Request = Pick<NewApproval, 'kind' | 'operation' | 'permission' | 'form_key' | 'amount_minor' | 'currency'> & {
  wanted: Wanted;
};

/**
 * Requests the approval of a second person, once for each form. Approvers are notified by mail, at most once a minute for each
 * requester.
 * @returns id of the approval
 * @throws Problem 429 while too many wait
 */
export async function ask(tx: Tx, secrets: Secrets, who: ApprovalActor, request: Request): Promise<string> {
  const { wanted, ...rest } = request;
  const { team, environment, user_id, session_id } = who;
  // Counted per environment, so that tests in the sandbox cannot use up the limit of live.
  const place = { team_id: team.id, environment };
  if ((await countWaiting(tx, place, MAX_WAITING)) >= MAX_WAITING) refuseApproval('many_waiting');
  const told = await hasAskedWithin(tx, place, user_id, ASKED_MAIL_MS);
  const ref = { ...place, id: newId('apv', environment, who.at) };
  const body_sealed = sealWanted(secrets, ref, wanted);
  const row = { ...ref, ...rest, body_sealed, asked_by: user_id, asked_session: session_id, lives_ms: APPROVAL_MS };
  if (!(await insertApproval(tx, row))) return must(await findByForm(tx, team.id, rest.form_key), 'the form has asked');
  await note(tx, who, 'approval.ask', ref.id);
  if (told) return ref.id;
  const others = (await listApprovers(tx, team.id, APPROVING)).filter((one) => one.user_id !== user_id);
  await mail(tx, who, ref.id, 'asked', others);
  return ref.id;
}

/**
 * Decides on an open approval, as the second person.
 * @throws Problem 404; 403 for the requester, for the person whose membership it is about, and for people who may not decide; 409 when it
 *   is decided or expired, or when it is approved and the requester has lost the permission
 */
export async function decide(
  tx: Tx,
  secrets: Secrets,
  who: ApprovalActor,
  id: string,
  decision: Exclude<Decision, 'withdrawn'>,
): Promise<ApprovalRow> {
  const row = await lockOpen(tx, who, id);
  if (row.asked_by === who.user_id) refuseApproval('own');
  await refuseChecker(tx, who, row);
  refuseSubject(secrets, who, row);
  if (decision === 'approved') await refuseFormerMaker(tx, row);
  await writeDecision(tx, id, { decision, by: who.user_id, session: who.session_id, lives_ms: APPROVAL_MS });
  await note(tx, who, decision === 'approved' ? 'approval.approve' : 'approval.reject', id);
  const maker = await findUser(tx, row.asked_by);
  await mail(tx, who, id, decision, maker ? [maker] : []);
  return row;
}

/**
 * Withdraws a request of one's own.
 * @throws Problem 404; 403 for anyone but the requester; 409 when it is decided or expired
 */
export async function withdraw(tx: Tx, who: ApprovalActor, id: string): Promise<void> {
  const row = await lockOpen(tx, who, id);
  if (row.asked_by !== who.user_id) refuseApproval('not_own');
  await writeDecision(tx, id, { decision: 'withdrawn', by: who.user_id, session: who.session_id, lives_ms: APPROVAL_MS });
  await note(tx, who, 'approval.withdraw', id);
}

/**
 * Returns an approved operation that this person may run now.
 * @throws Problem 403 for the requester and for people who may not decide on it; otherwise as {@link lockRunnable}
 */
export async function lockOperation(tx: Tx, who: ApprovalActor, id: string): Promise<ApprovalRow> {
  const row = await lockRunnable(tx, who, id);
  if (row.asked_by === who.user_id) refuseApproval('own');
  await refuseChecker(tx, who, row);
  return row;
}

/**
 * Returns an approval that may run now, locked until the transaction ends.
 * @throws Problem 404; 409 when it is not approved, its time is over, or the requester has lost the permission
 */
export async function lockRunnable(tx: Tx, { team, environment }: ApprovalActor, id: string): Promise<ApprovalRow> {
  const row = await lockApproval(tx, { team_id: team.id, environment, id });
  if (!row) throw notFound();
  const state = approvalState(row);
  if (state === 'lapsed') refuseApproval('expired');
  if (state !== 'approved') refuseApproval('decided');
  await refuseFormerMaker(tx, row);
  return row;
}

async function lockOpen(tx: Tx, { team, environment }: ApprovalActor, id: string): Promise<ApprovalRow> {
  const row = await lockApproval(tx, { team_id: team.id, environment, id });
  if (!row) throw notFound();
  const state = approvalState(row);
  if (state === 'expired') refuseApproval('expired');
  if (state !== 'open') refuseApproval('decided');
  return row;
}

/** Rejects a second person who may not run the operation of the API themselves: it runs in their name. */
async function refuseChecker(tx: Tx, { user_id, environment }: ApprovalActor, row: ApprovalRow): Promise<void> {
  const { team_id, permission } = row;
  const checker = await lockMember(tx, team_id, user_id);
  const needed = isOperation(row) ? (['approval.write', permission] as const) : (['approval.write'] as const);
  const may = checker && !checker.disabled && needed.every((one) => isPermitted(checker.role, one, environment));
  if (!may) throw new Problem(403, 'Your role does not permit this.');
}

/** Rejects the person whose membership a request is about. */
function refuseSubject(secrets: Secrets, { user_id }: ApprovalActor, row: ApprovalRow): void {
  if (row.kind === 'person' && wantedOf(secrets, row).body.user === user_id) refuseApproval('subject');
}

/** Rejects a requester whose role has lost the permission since the request. The membership is locked until the transaction ends. */
async function refuseFormerMaker(tx: Tx, { team_id, asked_by, permission, environment }: ApprovalRow): Promise<void> {
  const maker = await lockMember(tx, team_id, asked_by);
  if (!maker || maker.disabled || !isPermitted(maker.role, permission, environment)) refuseApproval('maker');
}

function note(tx: Tx, { team, by, at }: ApprovalActor, action: Action, resource_id: string): Promise<void> {
  return record(tx, by, { team_id: team.id, action, resource_id, at });
}

function mail(
  tx: Tx,
  { team, environment }: ApprovalActor,
  id: string,
  step: 'asked' | 'approved' | 'rejected',
  to: readonly { email: string; locale: string | null }[],
): Promise<void> {
  const path = `/console/${team.id}/${environment}/approvals/${id}`;
  const facts = { team: team.name, environment, path, step };
  return queueUserMails(
    tx,
    to.map(({ email, locale }) => ({ kind: 'approval', facts: { ...facts, language: locale }, recipient: email })),
  );
}
