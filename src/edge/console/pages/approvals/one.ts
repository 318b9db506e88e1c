import { sayStored } from '../../messages/say.ts';
import type { Fault } from '../../parts/fault.ts';
import { notFound } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { isId } from '../../../../kit/ids.ts';
import { type ApprovalRow, isOperation, type Wanted } from '../../../../tenants/approvals/schema.ts';
import { approvalState } from '../../../../tenants/approvals/states.ts';
import { findApproval } from '../../../../tenants/approvals/store.ts';
import { readableWanted } from '../../../../tenants/approvals/wanted.ts';
import { namesOfMembers } from '../../../../tenants/people/names-store.ts';
import { hasOtherDestination } from '../../approvals/account.ts';
import { hasOtherPayee } from '../../approvals/payee.ts';
import { mayDecide } from '../../approvals/decider.ts';
import { hasOtherInvitation, hasOtherKey, hasOtherRole, hasOtherThreshold } from '../../approvals/replaced.ts';
import { asTheyStand, madeBy } from '../../approvals/standing.ts';
import { isPerformed } from '../../approvals/perform.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { alert, card, doneAlert, facts, idText, pageHead, when } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { wantedView } from './body.ts';
import { amountOf, madeBadge, nameOf, peopleOf, stateBadge } from './parts.ts';
import { APPROVAL_TEXTS } from './texts.ts';

/**
 * Returns the approval that the path names.
 * @throws Problem 404
 */
export async function approvalOf({ team, environment, params, approvals }: TeamVisit): Promise<ApprovalRow> {
  const { id = '' } = params;
  const row = isId('apv', environment, id) && (await findApproval(approvals.control, { team_id: team.id, environment, id }));
  if (!row) throw notFound();
  return row;
}

/** Shows one approval: the requester, the request, the state, and the actions of this person. */
export async function showApproval(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, base, team, approvals } = visit;
  const texts = APPROVAL_TEXTS[language];
  const [row] = await asTheyStand(visit, [await approvalOf(visit)]);
  if (!row) throw notFound();
  const made = (await madeBy(visit, [row])).get(row.result ?? '');
  const wanted = readableWanted(approvals.secrets, row);
  const state = approvalState(row);
  const [name, names, changed] = await Promise.all([
    peopleOf(visit, [row]),
    namesOfMembers(approvals.control, team.id, typeof wanted?.body.user === 'string' ? [wanted.body.user] : []),
    wanted && state === 'open' ? changedSince(visit, row, wanted) : null,
  ]);
  const about = facts([
    [texts.askedBy, name(row.asked_by)],
    [texts.askedAt, when(row.asked_at, language)],
    [texts.until, (state === 'open' || state === 'approved') && when(row.expires_at, language)],
    [texts.decidedBy, row.decided_by && name(row.decided_by)],
    [texts.decidedAt, row.decided_at && when(row.decided_at, language)],
    [texts.doneAt, row.done_at && when(row.done_at, language)],
    [
      texts.result,
      row.result && html`${idText(row.result, resultPath(visit, row.result))}${made && html` ${madeBadge(made, language)}`}`,
    ],
    [texts.message, row.message !== null && sayStored(language, row.message)],
  ]);
  const title = [nameOf(row, language), amountOf(row, language)].filter(Boolean).join(' · ');
  const notice = fault ? alert(fault.message) : doneAlert(texts.done, visit.query.done);
  return {
    kind: 'page',
    title,
    nav: '/approvals',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/approvals">← ${texts.back}</a></p>${pageHead(title, { note: html`${stateBadge(row, made, language)} ${made?.failed ? texts.unmadeText : texts.stateTexts[state]}` })}<div class="narrow">${notice}
${wanted ? wantedView(visit, row, wanted, { names, changed }) : alert(texts.unreadable)}${card(texts.state, about)}${actions(visit, row, wanted)}</div>`,
  };
}

/** Returns the notice that the state on which the operation relies has changed, so that it would fail. */
async function changedSince(visit: TeamVisit, { operation }: ApprovalRow, wanted: Wanted): Promise<string | null> {
  const texts = APPROVAL_TEXTS[visit.language];
  if (await hasOtherPayee(visit, wanted)) return texts.payeeChanged;
  if (await hasOtherDestination(visit, wanted)) return texts.accountChanged;
  if (await hasOtherRole(visit, wanted)) return texts.roleChanged;
  if (await hasOtherThreshold(visit, wanted)) return texts.thresholdChanged;
  if (await hasOtherInvitation(visit.approvals.control, visit, wanted)) return texts.invitationChanged;
  return operation === 'key.activate' && (await hasOtherKey(visit, wanted)) ? texts.keyChanged : null;
}

function resultPath({ base }: TeamVisit, id: string): string {
  return id.startsWith('key_') ? `${base}/developers/keys/${id}` : withQuery(`${base}/search`, { q: id });
}

/**
 * The actions of this person, or the reason why there are none.
 * @param wanted null when no key decrypts the request: it can be withdrawn, and rejected unless it is about a person, a key or a threshold
 */
function actions(visit: TeamVisit, row: ApprovalRow, wanted: Wanted | null): Html | null {
  const texts = APPROVAL_TEXTS[visit.language];
  const own = row.asked_by === visit.session.user.id;
  const path = `${visit.base}/approvals/${row.id}`;
  const form = (name: string, label: string, tone: string) =>
    html`<form method="post" action="${path}/${name}?from=${encodeURIComponent(path)}">${visit.formFields()}<button${tone && html` class="${tone}"`}>${label}</button></form>`;
  const runs = visit.can('approval.write') && visit.can(row.permission);
  switch (approvalState(row)) {
    case 'open': {
      if (own) return box(texts.ownNote, form('withdraw', texts.withdraw, 'quiet-button'));
      if (wanted?.body.user === visit.session.user.id) return box(texts.faults.subject);
      if (wanted === null && !isOperation(row)) return null;
      if (!mayDecide(visit, row)) return box(texts.roleNote);
      const note = isOperation(row) || isPerformed(row.operation) ? texts.approveNote : undefined;
      return box(note, html`${wanted && form('approve', texts.approve, '')}${form('reject', texts.reject, 'danger')}`);
    }
    case 'approved':
      if (wanted === null) return null;
      if (row.kind === 'key') return own ? box(texts.makeNote, form('key', texts.make, '')) : null;
      return isOperation(row) && !own && runs ? box(texts.runNote, form('run', texts.run, '')) : null;
    default:
      return null;
  }
}

function box(note: string | undefined, buttons?: Html): Html {
  return html`<section class="card">${note && html`<p class="help">${note}</p>`}${buttons && html`<div class="form-actions">${buttons}</div>`}</section>`;
}
