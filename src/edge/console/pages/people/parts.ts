import { Problem } from '../../../../kit/errors.ts';
import type { Html } from '../../../../kit/html.ts';
import { person } from '../../../../tenants/audit/actor.ts';
import { type Administrator, peopleFault } from '../../../../tenants/people/members.ts';
import { ROLES } from '../../../../tenants/people/roles.ts';
import type { HeldAction } from '../../approvals/held.ts';
import { OwnProblem } from '../../messages/own.ts';
import type { TeamVisit } from '../../page.ts';
import { select } from '../../parts/parts.ts';
import { approvalFaultText } from '../approvals/parts.ts';
import { PEOPLE_TEXTS } from './texts.ts';

/** Returns the person of the visit as the one who changes the people of the team. */
export function administratorOf({ team, session, request_id, ip, at }: TeamVisit): Administrator {
  return { team_id: team.id, user_id: session.user.id, by: person(session.user.id, session.id, request_id, ip), at };
}

/** Returns a change of people as a request for approval. People are the same in both environments. */
export function heldPerson(
  operation: 'person.role' | 'person.remove' | 'person.invite' | 'person.resend',
  body: HeldAction['body'],
  seen: HeldAction['seen'] = {},
): HeldAction {
  return { kind: 'person', operation, permission: 'person.write', body, seen };
}

/** Returns the text of an error about people, or of the console itself; null for any other error. */
export function faultText({ language }: TeamVisit, error: unknown): string | null {
  if (error instanceof OwnProblem) return error.message;
  const fault = error instanceof Problem ? peopleFault(error) : null;
  return fault === null ? approvalFaultText(language, error) : PEOPLE_TEXTS[language].faults[fault];
}

/** The choice of a role, with the rights of each. `owner` is offered only to people who may appoint owners. */
export function roleChoice(visit: TeamVisit, value: string, error?: string): Html {
  const texts = PEOPLE_TEXTS[visit.language];
  const offered = ROLES.filter((role) => role !== 'owner' || value === 'owner' || visit.can('owner.write'));
  const options = offered.map((role) => [role, `${texts.roles[role]} — ${texts.roleTexts[role]}`] as const);
  return select({ name: 'role', label: texts.role, value, error }, options);
}
