import { emailAddressOf } from '../../../../kit/email.ts';
import { notFound, type Problem } from '../../../../kit/errors.ts';
import { html } from '../../../../kit/html.ts';
import { invite, resend, withdraw } from '../../../../tenants/people/members.ts';
import { findLastInvitation, findSent, listInvitations, wasResent } from '../../../../tenants/people/link-store.ts';
import { isRole } from '../../../../tenants/people/roles.ts';
import { changeOrAsk } from '../../approvals/held.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { doneOnce, isRecorded } from '../../done-once.ts';
import { keyOfAsked } from '../../forms.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { alert, card, field, pageHead } from '../../parts/parts.ts';
import { administratorOf, faultText, heldPerson, roleChoice } from './parts.ts';
import { PEOPLE_TEXTS } from './texts.ts';

interface Wrong {
  email?: string;
  role?: string;
  said?: string;
  status?: number;
}

/** Shows the form of an invitation. */
export async function showInvite(visit: TeamVisit, wrong: Wrong = {}): Promise<Answer> {
  const texts = PEOPLE_TEXTS[visit.language];
  const action = `${visit.base}/people/invite`;
  const form = html`<form method="post" action="${action}?from=${action}">${visit.formFields()}
${field({ name: 'email', label: texts.email, type: 'email', value: fieldOf(visit, 'email'), error: wrong.email, help: texts.inviteText, required: true, maxlength: 254 })}
${roleChoice(visit, fieldOf(visit, 'role') || 'support', wrong.role)}
<div class="form-actions"><button>${texts.send}</button><a class="button quiet-button" href="${visit.base}/people">${texts.back}</a></div></form>`;
  return {
    kind: 'page',
    title: texts.inviteTitle,
    nav: '/people',
    ...(wrong.status === undefined ? {} : { status: wrong.status }),
    body: html`${pageHead(texts.inviteTitle)}${alert(wrong.said)}${card(visit.team.name, form)}`,
  };
}

/** Sends an invitation. */
export async function submitInvite(visit: TeamVisit): Promise<Answer> {
  const texts = PEOPLE_TEXTS[visit.language];
  const email = emailAddressOf(fieldOf(visit, 'email'));
  const role = fieldOf(visit, 'role');
  if (email === null) return showInvite(visit, { email: texts.emailError, status: 422 });
  if (!isRole(role)) return showInvite(visit, { role: texts.roleError, status: 422 });
  try {
    const form_key = keyOfAsked(visit.formKey, [email, role]);
    const invitation = (await findLastInvitation(visit.approvals.control, visit.team.id, email))?.id ?? null;
    const done = await changeOrAsk(visit, heldPerson('person.invite', { email, role }, { invitation }), {
      change: (tx) => invite(tx, administratorOf(visit), { email, role, ...senderOf(visit), form_key }),
      madeBefore: async () => ((await findSent(visit.approvals.control, visit.team.id, form_key)) ? toInvited(visit) : null),
      rehearsed: true,
    });
    if ('answer' in done) return done.answer;
  } catch (error) {
    const text = faultText(visit, error);
    if (text === null) throw error;
    return showInvite(visit, { said: text, status: (error as Problem).status });
  }
  return toInvited(visit);
}

function toInvited({ base }: TeamVisit): Answer {
  return redirect(`${base}/people?done=invited`);
}

function senderOf({ team, session, language, formKey }: TeamVisit) {
  return { team: team.name, inviter: session.user.name, language, form_key: formKey };
}

/** Sends an invitation again. */
export async function submitResend({ stores: { control } }: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const link = visit.params.link ?? '';
  // A form that sent it is answered as the first time, also when the invitation has been used since.
  if (await wasResent(control, { team_id: visit.team.id, id: link }, visit.formKey)) return toInvited(visit);
  const invitation = (await listInvitations(control, visit.team.id)).find(({ id }) => id === link);
  // The approver has to see what the invitation grants.
  if (!invitation) throw notFound();
  const { email, role } = invitation;
  const done = await changeOrAsk(visit, heldPerson('person.resend', { link, email, role }), {
    change: (tx) => resend(tx, administratorOf(visit), link, senderOf(visit)),
    madeBefore: async () => null,
    rehearsed: true,
  });
  return 'answer' in done ? done.answer : toInvited(visit);
}

/** Withdraws an invitation. */
export async function submitWithdraw({ stores: { control } }: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const { link = '' } = visit.params;
  await doneOnce(
    () => control.transaction((tx) => withdraw(tx, administratorOf(visit), link)),
    () => isRecorded(visit, 'person.withdraw', link, control),
  );
  return redirect(`${visit.base}/people?done=withdrawn`);
}
