import type { ApprovalActor } from '../../../tenants/approvals/service.ts';
import { actorOf } from '../actor.ts';
import type { TeamVisit } from '../page.ts';

/** Returns the person of the visit as the requester or decider of an approval. */
export function approvalActor(visit: TeamVisit): ApprovalActor {
  const { team, environment, session, at } = visit;
  return { team, environment, user_id: session.user.id, session_id: session.id, by: actorOf(visit), at };
}
