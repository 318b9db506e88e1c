import { erasedIn } from './oracle-events.ts';
import { latestPayments } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** What a shop wanted once became one resource, however often it was sent with the same key; and nothing else was made. */
export function judgeWishes(shop: ShopView, { owners }: Snapshot): string[] {
  const { payments, refunds, transfers, links, invoices } = shop;
  const resources: Record<string, Shown[]> = {
    payment: payments,
    refund: refunds,
    transfer: transfers,
    link: links,
    invoice: invoices,
  };
  const byTag = new Map(
    Object.entries(resources).map(([kind, items]) => [
      kind,
      Map.groupBy(items, (item) => (item.metadata?.tag ?? item.reference) as string),
    ]),
  );
  const byId = new Map(Object.values(resources).flatMap((items) => items.map((item) => [item.id as string, item])));
  const wished = new Set<string>();
  const retries = new Set(shop.retrieved.flatMap(({ id, retry_of }) => (retry_of ? [id] : [])));
  const found = shop.intents.flatMap((intent) => {
    const { kind, tag, keyed, sent, ids } = intent;
    // An erasure takes the reference away, not the resource.
    const answered = [...ids].flatMap((id) => byId.get(id) ?? []);
    // A payment that tries another again has its reference.
    const tagged = (byTag.get(kind)?.get(tag) ?? []).filter(({ id }) => !retries.has(id));
    const made = [...new Set([...answered, ...tagged])];
    for (const { id } of made) wished.add(id);
    const most = keyed ? 1 : sent;
    const missing = [...ids].filter((id) => !made.some((one) => one.id === id));
    return [
      ...(made.length > most ? [`DOUBLE: ${kind} ${tag} was made ${made.length} times, wanted ${most} times`] : []),
      ...(keyed && ids.size > 1 ? [`DOUBLE: ${kind} ${tag} was answered with ${[...ids].join(', ')}`] : []),
      ...missing.map((id) => `VANISHED: ${kind} ${tag} was answered with ${id}, which no list shows`),
    ];
  });
  const isSale = saleOf(shop);
  const isErased = erasedIn(shop);
  // Whether so much had to be returned is judged by the sums of its payment.
  const returns = new Set(owners.filter(({ kind }) => kind === 'giveback').map(({ id }) => id));
  const isRetry = retryOf(shop, wished);
  const strange = Object.values(resources)
    .flat()
    .filter((one) => !wished.has(one.id) && !isErased(one) && !isSale(one.id) && !isRetry(one.id) && !returns.has(one.id));
  return [...found, ...strange.map(({ id, reference }) => `UNWANTED: ${id} (${reference}) was never asked for`)];
}

/** Whether a payment was made by the page of a link or of an invoice. */
function saleOf(shop: ShopView): (id: string) => boolean {
  const sold = new Set([...shop.links, ...shop.invoices].map(({ id }) => id));
  const metadata = new Map(latestPayments(shop).map((payment) => [payment.id, payment.metadata]));
  return (id) => sold.has(metadata.get(id)?.link) || sold.has(metadata.get(id)?.invoice);
}

/** Whether a payment follows a failed one, on whose page its payer tried again. */
function retryOf(shop: ShopView, wished: ReadonlySet<string>): (id: string) => boolean {
  const before = new Map<string, string>(shop.retrieved.flatMap(({ id, retry_of }) => (retry_of ? [[id, retry_of]] : [])));
  const isKnown = (id: string): boolean => wished.has(id) || (before.has(id) && isKnown(before.get(id) as string));
  return (id) => before.has(id) && isKnown(id);
}
