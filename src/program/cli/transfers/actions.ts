import { transferRoutes } from '../../../core/transfers/routes.ts';
import type { ListTransfersQuery } from '../../../core/transfers/schema.ts';
import type { ListOptions } from '../list-options.ts';
import {
  AMOUNT,
  CREATED,
  filled,
  type Item,
  momentOf,
  moneyOf,
  listResource,
  type Resource,
  showResource,
  STATUS,
  textColumn,
  textOf,
} from '../listing.ts';
import type { TeamOptions } from '../operations.ts';
import { details, paintStatus } from '../output.ts';

const TRANSFERS: Resource = {
  ...{ prefix: 'po', path: '/transfers', name: 'transfer' },
  routes: transferRoutes,
  filters: [
    'status',
    'channel',
    'beneficiary',
    'search',
    'date_from',
    'date_to',
    'amount_min',
    'amount_max',
  ] satisfies (keyof ListTransfersQuery)[],
  columns: [
    textColumn('TRANSFER', 'id'),
    CREATED,
    AMOUNT,
    STATUS,
    textColumn('CHANNEL', 'channel'),
    textColumn('BENEFICIARY', 'beneficiary'),
    textColumn('REFERENCE', 'reference'),
  ],
  fields: [
    ...['id', 'created_at', 'status', 'reason', 'message', 'amount', 'fee', 'amount_total', 'currency', 'channel'],
    ...['beneficiary', 'account', 'reference', 'description', 'completed_at', 'updated_at', 'metadata', 'sandbox'],
  ],
};

/** `pirogue transfers list` */
export function listTransfersCommand(options: ListOptions): Promise<void> {
  return listResource(options, TRANSFERS);
}

/** `pirogue transfers show` */
export function showTransferCommand(id: string, options: TeamOptions & { json?: true }): Promise<void> {
  return showResource(id, options, TRANSFERS, (transfer) => details(linesOf(transfer)));
}

function linesOf(transfer: Item): Record<string, string> {
  return filled({
    transfer: textOf(transfer.id),
    status: paintStatus(String(transfer.status)),
    why: [transfer.reason, transfer.message].filter(Boolean).map(textOf).join(': '),
    amount: moneyOf(transfer, 'amount'),
    fee: moneyOf(transfer, 'fee'),
    'amount and fee': moneyOf(transfer, 'amount_total'),
    channel: textOf(transfer.channel),
    beneficiary: textOf(transfer.beneficiary),
    subaccount: textOf(transfer.account),
    reference: textOf(transfer.reference),
    description: textOf(transfer.description),
    created: momentOf(transfer.created_at),
    completed: momentOf(transfer.completed_at),
  });
}
