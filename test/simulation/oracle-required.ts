import { latestPayments, PAID, refundedOf } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** What happened is told by the event that the contract names for it, as often as it happened. */
export function judgeRequired(shop: ShopView, snapshot: Snapshot): string[] {
  const types = new Map(
    [...Map.groupBy(shop.events, ({ data }) => data.id as string)].map(([id, events]) => [
      id,
      events.map(({ event }) => event as string),
    ]),
  );
  const told = (id: string, type: string) => types.get(id)?.filter((one) => one === type).length ?? 0;
  const expect = (id: string, type: string, times: number, most = times) => {
    const found = told(id, type);
    return found >= times && found <= most ? [] : [`EVENT MISSING: ${type} of ${id} was told ${found} times, should be ${times}`];
  };
  const erased = new Set(shop.erased);
  return [
    ...latestPayments(shop).flatMap((payment) => judgeArrivals(snapshot, payment, told)),
    ...[...shop.refunds, ...shop.transfers, ...shop.disputes].flatMap(({ id }) => expect(id, `${kindOf(id)}.created`, 1)),
    ...shop.disputes.flatMap(({ id, status, evidence }) => [
      ...expect(id, 'dispute.updated', evidence ? 1 : 0),
      ...expect(id, 'dispute.closed', OPEN.has(status) ? 0 : 1),
    ]),
    ...shop.invoices.flatMap(({ id, number, status }) => [
      ...expect(id, 'invoice.created', 1),
      ...expect(id, 'invoice.sent', number === null ? 0 : 1),
      ...expect(id, 'invoice.paid', status === 'paid' ? 1 : 0),
      ...expect(id, 'invoice.cancelled', status === 'cancelled' ? 1 : 0),
    ]),
    ...shop.links.flatMap(({ id }) => [...expect(id, 'link.created', 1), ...expect(id, 'link.updated', 0)]),
    ...shop.customers.filter(({ id }) => !erased.has(id)).flatMap(({ id }) => expect(id, 'customer.created', 1)),
    ...shop.erased.flatMap((id) => expect(id, 'customer.deleted', 1)),
    ...shop.beneficiaries.flatMap(({ id }) => expect(id, 'beneficiary.created', 1)),
    ...shop.accounts.flatMap(({ id }) => expect(id, 'account.created', 1)),
  ];
}

const OPEN = new Set(['needs_response', 'under_review']);

const KINDS: Record<string, string> = { rfd: 'refund', po: 'transfer', dsp: 'dispute' };

function kindOf(id: string): string {
  return KINDS[id.split('_')[0] as string] as string;
}

/**
 * Each collection is told of once: as a tranche, as the success, or as money that came too late. Each part of a refund
 * changes the status once. Money that nobody could return is announced.
 */
function judgeArrivals(snapshot: Snapshot, { id, status }: Shown, told: (id: string, type: string) => number): string[] {
  const { moved, owners, booked, mismatches, kept } = snapshot;
  const attempts = new Set(owners.filter(({ kind, payment }) => kind === 'attempt' && payment === id).map((one) => one.id));
  const collected = moved.filter(({ flow, subject }) => flow === 'collect' && attempts.has(subject)).length;
  const waiting = mismatches.filter(({ payment }) => payment === id).length;
  // What was first reported with another amount is told of once more.
  const misreported = booked.filter(({ kind, payment }) => payment === id && kind.startsWith('evidence.mismatched')).length;
  const late = collected - told(id, 'payment.partial') - (PAID.has(status) ? 1 : 0);
  const found = told(id, 'payment.late_success');
  const parts = refundedOf(snapshot, id).length;
  const changes = told(id, 'payment.partially_refunded') + told(id, 'payment.refunded');
  const announced = told(id, 'payment.return_required');
  const stays = kept.filter(({ payment }) => payment === id).length;
  return [
    ...(found >= late - waiting && found <= late + misreported
      ? []
      : [`EVENT MISSING: payment.late_success of ${id} was told ${found} times, should be ${late}`]),
    ...(changes === parts ? [] : [`EVENT MISSING: ${parts} refunds of ${id} were made, its status changed ${changes} times`]),
    ...(announced >= stays && announced <= collected
      ? []
      : [`EVENT MISSING: payment.return_required of ${id} was told ${announced} times, ${stays} returns were kept`]),
  ];
}
