import type { ApprovalActor } from '../../../tenants/approvals/service.ts';
import { actorOf } from '../actor.ts';
import type { TeamVisit } from '../page.ts';

/** The person of the visit, as who asks for an approval or decides on one. */
export function approvalActor(visit: TeamVisit): ApprovalActor {
  const { team, environment, session, at } = visit;
  return { team, environment, user_id: session.user.id, session_id: session.id, by: actorOf(visit), at };
}
