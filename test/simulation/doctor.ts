import type { Shown, Snapshot } from './snapshot.ts';

/*
 * Changes of a sound world that make it wrong in one respect, with everything else as it would be.
 */

export interface Doctored {
  what: string;
  /** How the difference begins. */
  says: RegExp;
  doctor(snapshot: Snapshot): void;
}

export const shopOf = (snapshot: Snapshot) => snapshot.shops[0] as Snapshot['shops'][number];
export const eventOf = (snapshot: Snapshot, id: string): Shown => shopOf(snapshot).events.find((event) => event.id === id);
export const endpointOf = (snapshot: Snapshot): Shown => shopOf(snapshot).endpoints[0];
export const takenOf = (snapshot: Snapshot): Shown[] => endpointOf(snapshot).taken;
export const movedOf = (snapshot: Snapshot, subject: string): Shown => snapshot.moved.find((one) => one.subject === subject);
export const balanceOf = (snapshot: Snapshot, account: string): Shown => snapshot.balances.find((one) => one.account === account);

export const retrievedOf = (snapshot: Snapshot, id: string): Shown => shopOf(snapshot).retrieved.find((one) => one.id === id);

/** Changes a resource wherever it is shown: in lists, alone, and in all its events and deliveries. */
export function change(snapshot: Snapshot, id: string, changes: object): void {
  const shop = shopOf(snapshot);
  const shown = [...shop.payments, ...shop.refunds, ...shop.transfers, ...shop.retrieved, ...shop.events.map(({ data }) => data)];
  for (const one of shown) if (one.id === id) Object.assign(one, changes);
  deliver(snapshot);
}

/** Makes every event arrive as the API shows it. */
export function deliver(snapshot: Snapshot): void {
  const shop = shopOf(snapshot);
  shop.totals.events = shop.events.length;
  for (const endpoint of shop.endpoints)
    endpoint.taken = shop.events.map(({ sequence, ...body }) => ({
      ...{ event_id: body.id, type: body.event, sequence, resource: body.data.id, body: JSON.stringify(body), data: body.data },
    }));
}

export function dropEvents(snapshot: Snapshot, which: (event: Shown) => boolean): void {
  const shop = shopOf(snapshot);
  shop.events = shop.events.filter((event) => !which(event));
  deliver(snapshot);
}

/** Adds something to a list, retrieved alone and with its events, so that only its contents are wrong. */
export function add(snapshot: Snapshot, list: 'disputes' | 'links' | 'invoices', one: Shown, types: readonly string[]): void {
  const shop = shopOf(snapshot);
  shop[list].push(one);
  shop.totals[list] = shop[list].length;
  shop.retrieved.push(structuredClone(one));
  const events = types.map((event, i) => ({ id: `evt_${one.id}_${i}`, event, sequence: i + 1, data: structuredClone(one) }));
  shop.events.push(...events);
  for (const action of ENTRIES[list]) snapshot.audited.push({ team_id: 1n, action, resource: one.id, times: 1 });
  deliver(snapshot);
}

const ENTRIES = {
  disputes: ['dispute.open', 'dispute.decide'],
  links: ['link.create'],
  invoices: ['invoice.create', 'invoice.send'],
};

/** A dispute about all of trx_1 that was lost, and booked if `of` names the account from which it was charged back. */
export function addDispute(snapshot: Snapshot, { id = 'dsp_1', payment = 'trx_1', amount = 1_000, of = '' }): void {
  add(snapshot, 'disputes', { id, payment, status: 'lost', amount, currency: 'XAF' }, ['dispute.created', 'dispute.closed']);
  const amount_minor = BigInt(amount) * 100n;
  const shop = shopOf(snapshot);
  shop.claims = [...shop.claims, { id, payment, amount_minor, status: 'lost' }];
  if (of === '') return;
  const line = { team_id: 1n, key: null, kind: 'dispute.lost', subject: id, payment, currency: 'XAF' };
  snapshot.booked.push({ ...line, amount_minor: -amount_minor });
  move(snapshot, of, 'clearing', amount_minor);
}

/** Moves money between accounts, and shows it. */
export function move(snapshot: Snapshot, from: string, to: string, amount_minor: bigint): void {
  for (const [account, amount] of [
    [from, -amount_minor],
    [to, amount_minor],
  ] as const) {
    const line = balanceOf(snapshot, account);
    if (line) line.amount_minor += amount;
    else snapshot.balances.push({ team_id: 1n, currency: 'XAF', account, amount_minor: amount });
    const [shown] = shopOf(snapshot).balances as [Shown];
    if (account in shown) shown[account] += Number(amount) / 100;
    if (account in shown) shown.total += Number(amount) / 100;
  }
}

/** A world in which po_1 failed, and reached its recipient afterwards: its amount is drawn again, without the fee. */
export function payLate(snapshot: Snapshot): void {
  for (const event of shopOf(snapshot).events) if (event.event === 'transfer.succeeded') event.event = 'transfer.failed';
  change(snapshot, 'po_1', { status: 'failed' });
  const message = 'It reached the recipient after it had failed.';
  Object.assign(shopOf(snapshot).transfers[0] as Shown, { message });
  Object.assign(retrievedOf(snapshot, 'po_1'), { message });
  Object.assign(movedOf(snapshot, 'po_1'), { late: true });
  snapshot.payouts = [{ subject: 'po_1', end: 'failed', reason: null }];
  move(snapshot, 'fee_income', 'available', 3_00n);
}

/** A link of one use through which these payments were made. */
export function addLink(snapshot: Snapshot, ...paid: string[]): void {
  for (const id of paid) change(snapshot, id, { metadata: { link: 'lnk_1' } });
  const sums = shopOf(snapshot).payments.filter(({ id }) => paid.includes(id));
  const amount_collected = sums.reduce((all, { amount }) => all + amount, 0);
  const counts = { payments: paid.length, payments_open: 0, payments_succeeded: paid.length, amount_collected };
  add(snapshot, 'links', { id: 'lnk_1', reference: 'l1', max_uses: 1, amount: null, ...counts }, ['link.created']);
  wish(snapshot, 'link', 'l1', 'lnk_1');
}

/** An invoice that trx_1 paid. */
export function addInvoice(
  snapshot: Snapshot,
  status: string,
  amount: number,
  types = ['invoice.created', 'invoice.sent'],
): void {
  change(snapshot, 'trx_1', { reference: 'INV-1', metadata: { invoice: 'inv_1' } });
  const amounts = { amount, amount_paid: 1_000, amount_due: status === 'paid' ? 0 : amount - 1_000 };
  add(snapshot, 'invoices', { id: 'inv_1', number: 'INV-1', reference: 'i1', status, ...amounts }, types);
  wish(snapshot, 'invoice', 'i1', 'inv_1');
}

export function wish(snapshot: Snapshot, kind: 'link' | 'invoice', tag: string, id: string): void {
  const shop = shopOf(snapshot);
  shop.intents = [...shop.intents, { kind, tag, keyed: true, sent: 1, ids: new Set([id]) }];
}

/** A world in which trx_1 was paid and still waits. */
export function hold(snapshot: Snapshot): void {
  dropEvents(snapshot, ({ id }) => id === 'evt_trx_1_2');
  change(snapshot, 'trx_1', { status: 'processing', fee: 0 });
  snapshot.mismatches = [{ id: 'att_1', payment: 'trx_1', amount_minor: 1_000_00n, currency: 'XAF' }];
  snapshot.open = [
    { kind: 'attempt', id: 'att_1', waits: true },
    { kind: 'payment', id: 'trx_1', waits: false },
  ];
  move(snapshot, 'fee_income', 'available', 20_00n);
  move(snapshot, 'available', 'hold', 1_000_00n);
}
