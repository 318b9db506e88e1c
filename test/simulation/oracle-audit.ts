import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** Every action that moves money or makes a resource has one entry of the audit trail. */
export function judgeAudit(shop: ShopView, { audited, owners, moved }: Snapshot): string[] {
  const own = audited.filter(({ team_id }) => team_id === shop.team_id);
  const times = new Map(own.map((one) => [`${one.action} ${one.resource}`, one.times]));
  const expect = (id: string, action: string, wanted: number, most = wanted) => {
    const found = times.get(`${action} ${id}`) ?? 0;
    return found >= wanted && found <= most ? [] : [`AUDIT: ${id} has ${found} entries of ${action}, should have ${wanted}`];
  };
  const once = (items: readonly Shown[], action: string) => items.flatMap(({ id }) => expect(id, action, 1));
  const collected = new Set(moved.filter(({ flow }) => flow === 'collect').map(({ subject }) => subject));
  const charged = new Set(owners.filter(({ id }) => collected.has(id)).map(({ payment }) => payment));
  return [
    ...once(shop.refunds, 'refund.create'),
    ...once(shop.transfers, 'transfer.create'),
    ...once(shop.links, 'link.create'),
    ...once(shop.invoices, 'invoice.create'),
    ...once(shop.accounts, 'account.create'),
    ...once(shop.disputes, 'dispute.open'),
    ...shop.disputes.flatMap((dispute) => [
      ...expect(dispute.id, 'dispute.submit_evidence', dispute.evidence ? 1 : 0),
      ...judgeEnd(dispute, (action) => times.get(`${action} ${dispute.id}`) ?? 0),
    ]),
    ...shop.invoices.flatMap(({ id, number, status }) => [
      ...expect(id, 'invoice.send', number === null ? 0 : 1),
      ...expect(id, 'invoice.cancel', status === 'cancelled' ? 1 : 0),
    ]),
    ...shop.payments.flatMap(({ id }) => (charged.has(id) ? expect(id, 'payment.charge', 1, Number.POSITIVE_INFINITY) : [])),
    ...shop.erased.flatMap((id) => expect(id, 'customer.erase', 1, Number.POSITIVE_INFINITY)),
  ];
}

const ENDS: Record<string, readonly string[]> = {
  won: ['dispute.decide'],
  lost: ['dispute.decide', 'dispute.accept'],
  closed: ['dispute.withdraw'],
};

function judgeEnd({ id, status }: Shown, timesOf: (action: string) => number): string[] {
  const found = ['dispute.decide', 'dispute.accept', 'dispute.withdraw'].filter((action) => timesOf(action) > 0);
  const right = ENDS[status]?.some((action) => found.length === 1 && found[0] === action && timesOf(action) === 1);
  return right || (ENDS[status] === undefined && found.length === 0)
    ? []
    : [`AUDIT: ${id} is ${status}, its entries are ${found.join(', ') || 'none'}`];
}

/** A team reads nothing of another. */
export function judgeForeign({ team_id, foreign }: ShopView): string[] {
  return foreign
    .filter(({ status }) => status !== 404)
    .map(({ path, status }) => `FOREIGN: team ${team_id} gets ${status} for ${path} of another team`);
}
