import { Type } from 'typebox';
import type { ListSearcher } from '../../platform/search/list.ts';
import { recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { idPrefix } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf } from '../../kit/paging.ts';
import type { Tx } from '../../kit/sql.ts';
import { ENVIRONMENT } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { type InvoiceRequest, checkChange, checkCreate, createInvoice } from './draft.ts';
import { countInvoices, invoiceConditions, invoiceSearcher, listInvoices } from './list-store.ts';
import { presentInvoice } from './present.ts';
import {
  changeInvoiceBody,
  createInvoiceBody,
  invoiceReply,
  type InvoiceRow,
  type ListInvoicesQuery,
  listInvoicesQuery,
} from './schema.ts';
import { sendInvoice } from './send.ts';
import { cancelInvoice, changeInvoice, getInvoice, removeInvoice } from './service.ts';
import type { InvoiceRef } from './token.ts';
import { transact } from './transact.ts';

const READ = { access: 'private', scope: 'invoice.read', liveOnly: true } as const;
const WRITE = { access: 'private', scope: 'invoice.write', liveOnly: true } as const;

const one = envelopeSchema({ invoice: invoiceReply });

/** Returns the operations of invoices. */
export function invoiceRoutes(deps: InvoiceDeps): Route[] {
  const searcher = invoiceSearcher();
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/invoices',
      summary: 'List invoices',
      description: 'Newest first. Invoices exist in live only.',
      query: listInvoicesQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(invoiceReply), meta: listMeta }) },
      handle: (call) => listed(deps, searcher, call),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/invoices',
      summary: 'Create an invoice',
      description:
        'Creates a draft, which is not visible before it is sent. Its customer is found by `customer_id`, or by e-mail address and ' +
        'then phone number, and created without a match.',
      idempotent: true,
      problems: ['customer_not_found', 'customer_blocked'],
      body: createInvoiceBody,
      check: checkCreate,
      replies: { 201: one },
      handle: (call) =>
        searcher.creating(
          call.caller,
          writing(call, (tx, request) =>
            once(tx, call as Call, 'POST /invoices', async () =>
              reply(201, 'Invoice created', await recorded(tx, call, 'invoice.create', createInvoice(tx, request, call.body))),
            ),
          ),
        ),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/invoices/:id',
      summary: 'Retrieve an invoice',
      problems: ['invoice_not_found'],
      replies: { 200: one },
      handle: async (call) => reply(200, 'Invoice retrieved', await getInvoice(call.caller.store.db, refOf(call))),
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: '/invoices/:id',
      summary: 'Change an invoice',
      description: 'Omitted fields stay unchanged. After sending, only `metadata` can be changed.',
      problems: ['invoice_not_found', 'invoice_wrong_state', 'customer_not_found', 'customer_blocked'],
      body: changeInvoiceBody,
      check: checkChange,
      replies: { 200: one },
      handle: (call) =>
        writing(call, (tx, request) =>
          once(tx, call as Call, 'PATCH /invoices/:id', async () => {
            const changed = changeInvoice(tx, request, call.params.id as string, call.body);
            return reply(200, 'Invoice updated', await recorded(tx, call, 'invoice.update', changed));
          }),
        ),
    }),
    route({
      ...WRITE,
      method: 'DELETE',
      path: '/invoices/:id',
      summary: 'Delete a draft',
      description: 'Cancel an invoice that was sent instead. Causes the event `invoice.cancelled`.',
      problems: ['invoice_not_found', 'invoice_wrong_state'],
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, { at }) => {
          const removed = removeInvoice(tx, at, refOf(call));
          return reply(200, 'Invoice deleted', await recorded(tx, call, 'invoice.delete', removed));
        }),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/invoices/:id/send',
      summary: 'Send an invoice',
      description:
        'Mails it to its customer with the address of its page, in the name of the team. The first call assigns its number; ' +
        'each later call is a reminder, at most one in 24 hours. A customer without an e-mail address receives no mail: ' +
        'share `url` in another way.',
      idempotent: true,
      problems: [
        'invoice_not_found',
        'invoice_wrong_state',
        'merchant_not_verified',
        'invoice_not_mailable',
        'customer_blocked',
        'invoice_reminded',
      ],
      replies: { 200: one },
      handle: (call) =>
        writing(call, (tx, request) =>
          once(tx, call, 'POST /invoices/:id/send', async () => {
            const { team } = call.caller;
            const sent = sendInvoice(tx, deps, request, team, call.params.id as string);
            return reply(200, 'Invoice sent', await recorded(tx, call, 'invoice.send', sent));
          }),
        ),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: '/invoices/:id/cancel',
      summary: 'Cancel an invoice',
      description:
        'It can no longer be paid. Existing payments remain: refund them with POST /refunds. Not possible while one of its payments ' +
        'is open.',
      idempotent: true,
      problems: ['invoice_not_found', 'invoice_wrong_state'],
      replies: { 200: one },
      handle: (call) =>
        writing(call, (tx, { at }) =>
          once(tx, call, 'POST /invoices/:id/cancel', async () => {
            const cancelled = cancelInvoice(tx, deps, at, refOf(call));
            return reply(200, 'Invoice cancelled', await recorded(tx, call, 'invoice.cancel', cancelled));
          }),
        ),
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

function writing(call: AnyCall, work: (tx: Tx, request: InvoiceRequest) => Promise<Reply>): Promise<Reply> {
  const { caller, request_id, at } = call;
  const verify = (before: InvoiceRow) => call.verifySeen?.(presentInvoice(before));
  const request = { team_id: caller.team.id, key_id: caller.key_id, request_id, at, verify };
  return transact(caller.store.db, (tx) => work(tx, request));
}

function refOf(call: AnyCall): InvoiceRef {
  return { team_id: call.caller.team.id, id: call.params.id as string };
}

function reply(code: number, message: string, row: InvoiceRow): Reply {
  return { code, message, body: { invoice: presentInvoice(row) } };
}

async function listed(
  deps: Pick<InvoiceDeps, 'secrets'>,
  searcher: ListSearcher<InvoiceRow>,
  call: Call<unknown, ListInvoicesQuery>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const { db } = store;
  const cursors = new Cursors(deps.secrets, `invoices:${ENVIRONMENT}:${team.id}`);
  const position = cursors.position(call.query);
  const found = await searcher.search(store, team.id, { query: call.query, position, conditions: invoiceConditions });
  const rows = found?.rows ?? (await listInvoices(db, team.id, call.query, position));
  const { items, meta } = await pageOf(
    cursors,
    position,
    rows,
    idPrefix('inv', ENVIRONMENT),
    async () => found?.total ?? countInvoices(db, team.id, call.query),
  );
  return { code: 200, message: 'Invoices retrieved', body: { items: items.map(presentInvoice), meta } };
}
