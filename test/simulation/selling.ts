import { Browser } from './browser.ts';
import type { Actor } from './contract.ts';
import { amountOf, type Intent, type Line, numberOn, type Shop } from './shop.ts';

/*
 * Payment links and invoices: payers come by their pages, and pay on the hosted page.
 */

const OPEN_MS = 900_000;

/** A link that may be used less often than payers want to. */
export function linkActor(shop: Shop, tag: string): Actor {
  const random = shop.around.random.fork(tag);
  const line = random.pick(shop.lines.filter(({ field }) => field === 'phone'));
  const amount = amountOf(random, line);
  const max_uses = random.chance(0.7) ? 1 + random.int(3) : null;
  const payers = Array.from({ length: 1 + random.int(4) }, () => ({
    at_ms: random.int(random.chance(0.5) ? 5_000 : 600_000),
    number: numberOn(shop, random, line),
    times: random.chance(0.2) ? 2 : 1,
  }));
  const begins_ms = random.int(OPEN_MS);
  // Drawn apart, so that a seed makes every other choice as before.
  const apart = random.fork('open amount');
  const isOpen = apart.chance(0.4);
  const typedBy = payers.map(() => (isOpen ? amountOf(apart, line) : null));
  const run = async () => {
    await shop.around.sleep(begins_ms);
    const body = {
      title: `Pagne ${tag}`,
      currency: line.currency,
      ...(isOpen ? {} : { amount }),
      collect: ['phone'],
      ...(max_uses === null ? {} : { max_uses }),
      reference: tag,
    };
    const made = await shop.wish(wishOf('link', tag), '/links', body, { twice: payers.length === 1 });
    if (made?.status !== 201) return;
    const { id, url } = made.body.link;
    shop.links.push({ id, max_uses });
    if (isOpen) shop.typed.set(id, typedBy.map(Number));
    await Promise.all(
      payers.map(async ({ at_ms, number, times }, i) => {
        await shop.around.sleep(at_ms);
        const typed = typedBy[i] ?? null;
        const fields = { phone: number, ...(typed === null ? {} : { amount: String(typed) }) };
        await payByPage(shop, line, url, number, fields, times);
      }),
    );
  };
  return {
    name: `link ${tag}: ${isOpen ? 'any amount of' : amount} ${line.currency}, ${max_uses ?? 'any number of'} uses, ${payers.length} payers`,
    payments: 0,
    operations: [],
    run,
  };
}

/** An invoice that is paid at once or in parts, perhaps by two browsers, perhaps cancelled meanwhile. */
export function invoiceActor(shop: Shop, tag: string): Actor {
  const random = shop.around.random.fork(tag);
  const line = random.pick(shop.lines.filter(({ field }) => field === 'phone'));
  const unit_price = amountOf(random, { ...line, least: line.least * 4 });
  const parts = random.chance(0.5);
  const begins_ms = random.int(OPEN_MS);
  const cancel_ms = random.chance(0.2) ? random.int(400_000) : null;
  const visits = Array.from({ length: 1 + random.int(3) }, () => ({
    at_ms: random.int(400_000),
    number: numberOn(shop, random, line),
  }));
  const run = async () => {
    await shop.around.sleep(begins_ms);
    const customer = { name: 'Client', email: `${tag}@client.example` };
    const body = {
      items: [{ name: 'Pagne', unit_price }],
      currency: line.currency,
      customer,
      allow_partial: parts,
      reference: tag,
    };
    const made = await shop.wish(wishOf('invoice', tag), '/invoices', body, { twice: visits.length === 1 });
    if (made?.status !== 201) return;
    const { id } = made.body.invoice;
    const sent = await shop.insist('POST', `/invoices/${id}/send`, { idempotency_key: `${tag}-s` });
    const url: string | undefined = sent?.body?.invoice?.url;
    if (!url) return;
    const pays = visits.map(async ({ at_ms, number }, i) => {
      await shop.around.sleep(at_ms);
      const typed = parts ? { amount: String(i === 0 ? Math.floor(unit_price / 2) : unit_price) } : {};
      await payByPage(shop, line, url, number, typed as Record<string, string>, 1);
    });
    const cancels = async () => {
      if (cancel_ms === null) return;
      await shop.around.sleep(cancel_ms);
      await shop.insist('POST', `/invoices/${id}/cancel`, { idempotency_key: `${tag}-x` });
    };
    await Promise.all([...pays, cancels()]);
  };
  return { name: `invoice ${tag}: ${unit_price} ${line.currency}`, payments: 0, operations: [], run };
}

function wishOf(kind: 'link' | 'invoice', tag: string): Intent {
  return { kind, tag, keyed: true, sent: 0, ids: new Set() };
}

/** From the page of a link or invoice to the hosted page, and the charge there. */
async function payByPage(
  shop: Shop,
  line: Line,
  url: string,
  number: string,
  fields: Record<string, string>,
  times: number,
): Promise<void> {
  const browser = new Browser(shop.around);
  const answer = await browser.submit(url, fields, times);
  const to = answer === 'lost' ? null : answer?.headers.location;
  if (!to) return;
  await payOnPage(browser, line, to, number, times);
  await payAgainOnPage(shop, browser, line, to, number);
}

/** Looks at the page once more, and tries again there if the payment has failed: only then it has a form to pay. */
export async function payAgainOnPage(shop: Shop, browser: Browser, line: Line, address: string, number: string): Promise<void> {
  const random = shop.around.random.fork(`again ${address}`);
  for (let tries = 0; tries < 2 && random.chance(0.8); tries++) {
    await shop.around.sleep(5_000 + random.int(90_000));
    await payOnPage(browser, line, address, number, random.chance(0.2) ? 2 : 1);
  }
}

/** The charge on the hosted page. */
export async function payOnPage(browser: Browser, line: Line, address: string, number: string, times: number): Promise<void> {
  const remember = { remember: '1' };
  const charge = {
    channel: line.channel,
    ...(line.field === null ? {} : { [line.field]: number }),
    ...(times > 1 ? remember : {}),
  };
  await browser.submit(address, charge, times);
  await browser.open(address);
}
