import { Type } from 'typebox';
import { callerOf } from '../../tenants/audit/actor.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import type { FieldErrors } from '../../kit/errors.ts';
import { idPrefix } from '../../kit/ids.ts';
import type { JsonObject } from '../../kit/json.ts';
import { Cursors, listMeta, pageOf } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
import type { DisputeDeps } from './deps.ts';
import { presentDispute } from './present.ts';
import { disputeShape, type EvidenceBody, evidenceBody, type ListDisputesQuery, listDisputesQuery } from './schema.ts';
import { changeDispute, getDispute } from './service.ts';
import type { DisputeTrigger } from './states.ts';
import { countDisputes, listDisputes } from './store.ts';

const one = { 200: envelopeSchema({ dispute: disputeShape }) };

/** The routes of disputes: list, retrieve, submit evidence, accept. */
export function disputeRoutes(deps: DisputeDeps): Route[] {
  const totals = new ListTotals('dsp');
  return [
    route({
      method: 'GET',
      path: '/disputes',
      summary: 'List disputes',
      description: 'Newest first.',
      access: 'private',
      scope: 'dispute.read',
      query: listDisputesQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(disputeShape), meta: listMeta }) },
      handle: (call) => page(deps, totals, call),
    }),
    route({
      method: 'GET',
      path: '/disputes/:id',
      summary: 'Retrieve a dispute',
      access: 'private',
      scope: 'dispute.read',
      replies: one,
      handle: async (call) => {
        const { team, store } = call.caller;
        return reply(call, 'Dispute retrieved', await getDispute(store, team.id, call.params.id as string));
      },
    }),
    route({
      method: 'POST',
      path: '/disputes/:id/evidence',
      summary: 'Submit evidence for a dispute',
      description: 'Once, before `due_at`. The dispute is then under review until the provider decides.',
      operation_id: 'submitDisputeEvidence',
      problems: ['dispute_decided'],
      access: 'private',
      scope: 'dispute.write',
      body: evidenceBody,
      check: checkEvidence,
      replies: one,
      handle: (call) => submitEvidence(deps, call),
    }),
    route({
      method: 'POST',
      path: '/disputes/:id/accept',
      summary: 'Accept a dispute as lost',
      description: 'The money is returned to the payer. This cannot be undone.',
      problems: ['dispute_decided'],
      access: 'private',
      scope: 'dispute.write',
      replies: one,
      handle: (call) => change(deps, call, 'accepted', 'Dispute accepted'),
    }),
  ];
}

/** Validates what the schema cannot express. The body may not fit the schema. */
function checkEvidence({ evidence }: EvidenceBody): FieldErrors {
  return evidence === null ? { evidence: ['is required'] } : checkFreeObjects({ evidence });
}

function submitEvidence(deps: DisputeDeps, call: Call<EvidenceBody>): Promise<Reply> {
  return change(deps, call as Call, 'evidence_sent', 'Evidence submitted', call.body.evidence as JsonObject);
}

async function change(
  deps: DisputeDeps,
  call: Call,
  trigger: DisputeTrigger,
  message: string,
  evidence?: JsonObject,
): Promise<Reply> {
  const { team, store } = call.caller;
  return reply(
    call,
    message,
    await changeDispute(
      deps,
      store,
      { team_id: team.id, id: call.params.id as string },
      trigger,
      { ...(evidence ? { evidence } : {}), ...(call.verifyFirst ? { verify: call.verifyFirst } : {}) },
      callerOf(call),
    ),
  );
}

function reply(call: Call, message: string, row: Awaited<ReturnType<typeof getDispute>>): Reply {
  return { code: 200, message, body: { dispute: presentDispute(call.caller.store.environment, row) } };
}

async function page(deps: DisputeDeps, totals: ListTotals, call: Call<unknown, ListDisputesQuery>): Promise<Reply> {
  const { team, store } = call.caller;
  const { environment, db } = store;
  const cursors = new Cursors(deps.secrets, `disputes:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const rows = await listDisputes(db, team.id, call.query, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('dsp', environment), () =>
    totals.of(`${team.id}`, call, (ids) => countDisputes(db, team.id, call.query, ids)),
  );
  const shown = items.map((row) => presentDispute(environment, row));
  return { code: 200, message: 'Disputes retrieved', body: { items: shown, meta } };
}
