import { Type } from 'typebox';
import { type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { listMeta } from '../../kit/paging.ts';
import { createTransfer } from './create.ts';
import type { TransferDeps } from './deps.ts';
import { transferLister } from './list.ts';
import { presentTransfer } from './present.ts';
import { checkTransfer } from './quote.ts';
import { createTransferBody, listTransfersQuery, transferReply } from './schema.ts';
import { transferSearcher } from './store.ts';
import { getTransfer } from './service.ts';

const one = envelopeSchema({ transfer: transferReply });

/** The routes of transfers: list, create, retrieve. */
export function transferRoutes(deps: Pick<TransferDeps, 'config' | 'router' | 'secrets'>): Route[] {
  const searcher = transferSearcher();
  return [
    route({
      method: 'GET',
      path: '/transfers',
      summary: 'List transfers',
      description: 'Newest first.',
      access: 'private',
      scope: 'transfer.read',
      query: listTransfersQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(transferReply), meta: listMeta }) },
      handle: transferLister(deps, searcher),
    }),
    route({
      method: 'POST',
      path: '/transfers',
      summary: 'Create a transfer',
      description:
        'Pays out of the available balance, or of that of the subaccount in `X-Sync`, to one recipient: a saved `beneficiary`, a beneficiary given as an object, or a ' +
        '`recipient` on a `channel`. Amount and fee are reserved at once; with too low a balance the transfer is created ' +
        '`failed` with `insufficient_balance`. A transfer cannot be cancelled.',
      idempotent: true,
      sync: true,
      problems: [
        'beneficiary_not_found',
        'account_not_found',
        'account_inactive',
        'channel_not_supported',
        'payout_not_verified',
        'ceiling_exceeded',
        'provider_unavailable',
      ],
      access: 'private',
      scope: 'transfer.write',
      body: createTransferBody,
      check: checkTransfer,
      replies: { 201: one },
      handle: (call) => searcher.creating(call.caller, createTransfer(deps, call)),
    }),
    route({
      method: 'GET',
      path: '/transfers/:id',
      summary: 'Retrieve a transfer',
      problems: ['transfer_not_found'],
      access: 'private',
      scope: 'transfer.read',
      replies: { 200: one },
      handle: async ({ caller: { team, store }, params }) => {
        const row = await getTransfer(store, team.id, params.id as string);
        return { code: 200, message: 'Transfer retrieved', body: { transfer: presentTransfer(store.environment, row) } };
      },
    }),
  ];
}
