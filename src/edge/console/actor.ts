import { type Requester, person } from '../../tenants/audit/actor.ts';
import type { PersonVisit } from './page.ts';

/** Returns the actor for the audit trail: the person and the session. */
export function actorOf({ session, request_id, ip }: PersonVisit): Requester {
  return person(session.user.id, session.id, request_id, ip);
}
