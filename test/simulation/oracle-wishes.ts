import type { Shown, ShopView } from './snapshot.ts';

/** What a shop wanted once became one resource, however often it was sent with the same key; and nothing else was made. */
export function judgeWishes(shop: ShopView): string[] {
  const resources = { payment: shop.payments, refund: shop.refunds, transfer: shop.transfers } as Record<string, Shown[]>;
  const byTag = new Map(
    Object.entries(resources).map(([kind, items]) => [
      kind,
      Map.groupBy(items, (item) => (item.metadata?.tag ?? item.reference) as string),
    ]),
  );
  const byId = new Map(Object.values(resources).flatMap((items) => items.map((item) => [item.id as string, item])));
  const wished = new Set<string>();
  const found = shop.intents.flatMap((intent) => {
    const { kind, tag, keyed, sent, ids } = intent;
    // An erasure takes the reference away, not the resource.
    const answered = [...ids].flatMap((id) => byId.get(id) ?? []);
    const made = [...new Set([...answered, ...(byTag.get(kind)?.get(tag) ?? [])])];
    for (const { id } of made) wished.add(id);
    if (!byTag.has(kind)) return [];
    const most = keyed ? 1 : sent;
    const missing = [...ids].filter((id) => !made.some((one) => one.id === id));
    return [
      ...(made.length > most ? [`DOUBLE: ${kind} ${tag} was made ${made.length} times, wanted ${most} times`] : []),
      ...(keyed && ids.size > 1 ? [`DOUBLE: ${kind} ${tag} was answered with ${[...ids].join(', ')}`] : []),
      ...missing.map((id) => `VANISHED: ${kind} ${tag} was answered with ${id}, which no list shows`),
    ];
  });
  // Payments of an invoice bear its number.
  const given = new Set([...shop.intents.map(({ tag }) => tag), ...shop.invoices.map(({ number }) => number)]);
  const strange = [...shop.payments, ...shop.transfers].filter(
    ({ id, reference }) => !wished.has(id) && !given.has(reference) && reference !== null && reference !== '[erased]',
  );
  return [...found, ...strange.map(({ id, reference }) => `UNWANTED: ${id} (${reference}) was never asked for`)];
}
