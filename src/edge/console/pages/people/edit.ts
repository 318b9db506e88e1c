import { notFound, Problem } from '../../../../kit/errors.ts';
import { html } from '../../../../kit/html.ts';
import type { Tx } from '../../../../kit/sql.ts';
import { listMembers } from '../../../../tenants/people/member-store.ts';
import { changeRole, peopleFault, removeMember, type Subject } from '../../../../tenants/people/members.ts';
import { isRole } from '../../../../tenants/people/roles.ts';
import { changeOrAsk, type HeldAction } from '../../approvals/held.ts';
import { countRoles } from '../../approvals/replaced.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { doneOnce, isRecorded } from '../../done-once.ts';
import { OwnProblem } from '../../messages/own.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { shownFault } from '../../parts/fault.ts';
import { alert, card, pageHead } from '../../parts/parts.ts';
import { refuseStale, seenField } from '../../parts/seen.ts';
import { administratorOf, faultText, heldPerson, roleChoice } from './parts.ts';
import { PEOPLE_TEXTS } from './texts.ts';

const JOINED = 'joined';

/** Returns the member of the page, and when the membership that its form showed began. A form of an earlier release does not say so. */
function subjectOf(visit: TeamVisit): Subject {
  const joined = fieldOf(visit, JOINED);
  return { user_id: visit.params.user ?? '', joined_at: joined === '' ? null : Number(joined) };
}

/** Shows one member: the role, and the removal. */
export async function showMember(deps: ConsoleDeps, visit: TeamVisit, error?: unknown): Promise<Answer> {
  const texts = PEOPLE_TEXTS[visit.language];
  const user_id = visit.params.user ?? '';
  const member = await memberOf(deps, visit);
  if (!member) throw notFound();
  const changes = await countRoles(deps.stores.control, visit, user_id);
  const here = `${visit.base}/people/${user_id}`;
  // After these, the page shows a state that the person had not seen.
  const isStale = error instanceof Problem && (error instanceof OwnProblem || peopleFault(error) === 'rejoined');
  const stale = isStale ? shownFault(visit.language, error) : undefined;
  const joined = html`<input type="hidden" name="${JOINED}" value="${member.joined_at.getTime()}">`;
  const role = html`<form method="post" action="${here}/role?from=${here}">${visit.formFields()}${joined}${seenField(visit, { role: member.role }, stale, changes)}
${roleChoice(visit, fieldOf(visit, 'role') || member.role)}
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="${visit.base}/people">${texts.back}</a></div></form>`;
  const removal = html`<p>${texts.removeText(member.name)}</p><form method="post" action="${here}/remove?from=${here}">${visit.formFields()}${joined}
<div class="form-actions"><button class="danger">${texts.remove}</button></div></form>`;
  return {
    kind: 'page',
    title: texts.editTitle(member.name),
    nav: '/people',
    ...(error === undefined ? {} : { status: (error as Problem).status }),
    body: html`${pageHead(texts.editTitle(member.name), { note: `${member.email} · ${texts.roles[member.role]}` })}${alert(error === undefined ? null : faultText(visit, error))}
${card(texts.role, role)}${card(texts.removeTitle, removal)}`,
  };
}

async function memberOf({ stores }: ConsoleDeps, { team, params }: TeamVisit) {
  return (await listMembers(stores.control, team.id)).find((one) => one.user_id === params.user);
}

/** Gives a member another role. */
export async function submitRole(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const role = fieldOf(visit, 'role');
  if (!isRole(role)) throw notFound();
  const whom = subjectOf(visit);
  const { user_id: user, joined_at } = whom;
  const changes = await countRoles(deps.stores.control, visit, user);
  const before = await memberOf(deps, visit);
  const action = heldPerson('person.role', { user, role }, { joined_at, changes, ...(before && { role: before.role }) });
  const hasRole = async () => (await memberOf(deps, visit))?.role === role;
  return change(deps, visit, 'changed', {
    action,
    isDone: hasRole,
    async work(tx) {
      await changeRole(tx, administratorOf(visit), whom, role, async (now) => {
        refuseStale(visit, { role: now }, { role }, await countRoles(tx, visit, user));
      });
    },
  });
}

/** Removes a member. A person who removes themselves is redirected to their other teams. */
export async function submitRemoval(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const whom = subjectOf(visit);
  const { user_id, joined_at } = whom;
  const action = heldPerson('person.remove', { user: user_id }, { joined_at });
  const removed = await doneOnce(
    () =>
      change(deps, visit, 'removed', {
        action,
        isDone: async () => false,
        work: (tx) => removeMember(tx, administratorOf(visit), whom),
      }),
    () => isRecorded(visit, 'person.remove', user_id, deps.stores.control),
  );
  const answer = removed ?? redirect(`${visit.base}/people?done=removed`);
  const left = answer.kind === 'redirect' && answer.to.endsWith('?done=removed') && user_id === visit.session.user.id;
  return left ? redirect('/console/') : answer;
}

interface Change {
  action: HeldAction;
  /** Returns whether the member is as the form wants it. */
  isDone(): Promise<boolean>;
  work(tx: Tx): Promise<void>;
}

/** Makes a change. A rejection is shown above the form. */
async function change(deps: ConsoleDeps, visit: TeamVisit, notice: string, { action, isDone, work }: Change): Promise<Answer> {
  const changed = redirect(`${visit.base}/people?done=${notice}`);
  try {
    const madeBefore = async () => ((await isDone()) ? changed : null);
    const done = await changeOrAsk(visit, action, { change: work, madeBefore, rehearsed: true });
    if ('answer' in done) return done.answer;
  } catch (error) {
    if (faultText(visit, error) === null) throw error;
    return showMember(deps, visit, error);
  }
  return changed;
}
