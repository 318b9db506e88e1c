import { Type } from 'typebox';
import type { ListSearcher } from '../../platform/search/list.ts';
import { recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { idPrefix } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf } from '../../kit/paging.ts';
import type { Tx } from '../../kit/sql.ts';
import type { BeneficiaryDeps } from './deps.ts';
import { presentBeneficiary } from './present.ts';
import {
  beneficiaryReply,
  type BeneficiaryRow,
  changeBeneficiaryBody,
  createBeneficiaryBody,
  type ListBeneficiariesQuery,
  listBeneficiariesQuery,
  replaceBeneficiaryBody,
} from './schema.ts';
import {
  type BeneficiaryContext,
  changeBeneficiary,
  checkChange,
  checkCreate,
  createBeneficiary,
  getBeneficiary,
  removeBeneficiary,
  replaceBeneficiary,
} from './service.ts';
import {
  beneficiaryConditions,
  type BeneficiaryRef,
  beneficiarySearcher,
  countBeneficiaries,
  listBeneficiaries,
} from './store.ts';

const READ = { access: 'private', scope: 'beneficiary.read' } as const;
const WRITE = { access: 'private', scope: 'beneficiary.write' } as const;

const one = envelopeSchema({ beneficiary: beneficiaryReply });

/** The routes of beneficiaries: list, create, retrieve, replace, change, delete. */
export function beneficiaryRoutes(deps: Pick<BeneficiaryDeps, 'secrets'>): Route[] {
  const searcher = beneficiarySearcher();
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/beneficiaries',
      summary: 'List beneficiaries',
      description: 'Newest first.',
      query: listBeneficiariesQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(beneficiaryReply), meta: listMeta }) },
      handle: (call) => listed(deps, searcher, call),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/beneficiaries',
      summary: 'Create a beneficiary',
      description: 'Saves a recipient of payouts.',
      idempotent: true,
      problems: ['channel_not_supported'],
      body: createBeneficiaryBody,
      check: checkCreate,
      replies: { 201: one },
      handle: (call) =>
        searcher.creating(
          call.caller,
          writing(call, (tx, context) =>
            once(tx, call as Call, 'POST /beneficiaries', async () => {
              const made = createBeneficiary(tx, context, call.caller.team.id, call.body);
              return reply(call, 201, 'Beneficiary created', await recorded(tx, call, 'beneficiary.create', made));
            }),
          ),
        ),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/beneficiaries/:id',
      summary: 'Retrieve a beneficiary',
      problems: ['beneficiary_not_found'],
      replies: { 200: one },
      handle: async (call) => {
        const { db, environment } = call.caller.store;
        return reply(call, 200, 'Beneficiary retrieved', await getBeneficiary(db, environment, refOf(call)));
      },
    }),
    route({
      ...WRITE,
      method: 'PUT',
      path: '/beneficiaries/:id',
      summary: 'Replace a beneficiary',
      description:
        'Omitted fields are reset to their defaults. Channel, country and currency cannot be changed: for another ' +
        'channel, create another beneficiary.',
      problems: ['beneficiary_not_found'],
      body: replaceBeneficiaryBody,
      check: checkChange,
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const changed = replaceBeneficiary(tx, context, refOf(call), call.body);
          return reply(call, 200, 'Beneficiary updated', await recorded(tx, call, 'beneficiary.update', changed));
        }),
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: '/beneficiaries/:id',
      summary: 'Change a beneficiary',
      description: 'Omitted fields stay unchanged. Channel, country and currency cannot be changed.',
      problems: ['beneficiary_not_found'],
      body: changeBeneficiaryBody,
      check: checkChange,
      replies: { 200: one },
      handle: (call) =>
        writing(call, (tx, context) =>
          once(tx, call as Call, 'PATCH /beneficiaries/:id', async () => {
            const verify = (before: BeneficiaryRow) => call.verifySeen?.(presentBeneficiary(context.environment, before));
            const changed = changeBeneficiary(tx, context, refOf(call), call.body, verify);
            return reply(call, 200, 'Beneficiary updated', await recorded(tx, call, 'beneficiary.update', changed));
          }),
        ),
    }),
    route({
      ...WRITE,
      method: 'DELETE',
      path: '/beneficiaries/:id',
      summary: 'Delete a beneficiary',
      description: 'Its transfers remain. The response shows it for the last time.',
      problems: ['beneficiary_not_found'],
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const removed = removeBeneficiary(tx, context, refOf(call));
          return reply(call, 200, 'Beneficiary deleted', await recorded(tx, call, 'beneficiary.delete', removed));
        }),
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

function writing(call: AnyCall, work: (tx: Tx, context: BeneficiaryContext) => Promise<Reply>): Promise<Reply> {
  const { db, environment } = call.caller.store;
  return db.transaction((tx) => work(tx, { environment, at: call.at }));
}

function refOf(call: AnyCall): BeneficiaryRef {
  return { team_id: call.caller.team.id, id: call.params.id as string };
}

function reply(call: AnyCall, code: number, message: string, row: BeneficiaryRow): Reply {
  return { code, message, body: { beneficiary: presentBeneficiary(call.caller.store.environment, row) } };
}

async function listed(
  deps: Pick<BeneficiaryDeps, 'secrets'>,
  searcher: ListSearcher<BeneficiaryRow>,
  call: Call<unknown, ListBeneficiariesQuery>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const { db, environment } = store;
  const { search } = call.query;
  const cursors = new Cursors(deps.secrets, `beneficiaries:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const found = await searcher.search(store, team.id, { query: { search }, position, conditions: beneficiaryConditions });
  const rows = found?.rows ?? (await listBeneficiaries(db, team.id, { search }, position));
  const { items, meta } = await pageOf(
    cursors,
    position,
    rows,
    idPrefix('ben', environment),
    async () => found?.total ?? countBeneficiaries(db, team.id, { search }),
  );
  const shown = items.map((row) => presentBeneficiary(environment, row));
  return { code: 200, message: 'Beneficiaries retrieved', body: { items: shown, meta } };
}
