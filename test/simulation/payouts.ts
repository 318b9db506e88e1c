import type { Actor } from './contract.ts';
import { amountOf, type Intent, numberOn, type Shop } from './shop.ts';

/** Of what is available: two payouts of this share cannot both be covered. */
const MOST = 0.9;

/** One payout of a shop or of one of its sub-accounts, or two at the same moment that want the same money. Some are larger than what it has. */
export function payoutActor(shop: Shop, tag: string): Actor {
  const random = shop.around.random.fork(tag);
  const line = random.pick(shop.lines.filter(({ field }) => field !== null));
  // Small amounts, because the available balance of many shops covers no more.
  const amount = amountOf(random, { ...line, most: line.least * 10 });
  const begins_ms = 300_000 + random.int(2_400_000);
  const way = random.pick(['recipient', 'object', 'beneficiary'] as const);
  const number = numberOn(shop, random, line);
  const keyed = random.chance(0.85);
  const tags = random.chance(0.4) ? [tag, `${tag}-2`] : [tag];
  const intents = tags.map((own): Intent & { number: string } => ({
    ...{ kind: 'transfer' as const, tag: own, keyed, sent: 0, ids: new Set<string>(), number },
  }));
  const twice = random.chance(0.1);
  // Drawn apart, so that a seed makes every other choice as before.
  const apart = random.fork('account');
  const account = shop.accounts.length > 0 && apart.chance(0.4) ? apart.pick(shop.accounts) : null;
  // A sub-account has a part of few payments: most fixed amounts would be more than it has.
  const drains = tags.length > 1 || (account !== null && apart.chance(0.7));
  const headers = account === null ? {} : { 'X-Sync': account };
  const payee = { name: 'Moussa Diallo', channel: line.channel, [line.field as string]: number };

  const run = async () => {
    await shop.around.sleep(begins_ms);
    const to = await recipient();
    if (to === null) return;
    const sum = drains ? await most() : amount;
    if (sum < line.least / line.unit) return;
    const body = { amount: sum, currency: line.currency, ...to };
    await Promise.all(intents.map((one) => shop.wish(one, '/transfers', { ...body, reference: one.tag }, { twice, headers })));
  };
  const recipient = async () => {
    if (way === 'object') return { beneficiary: payee };
    if (way === 'recipient') return { recipient: number, channel: line.channel };
    const body = { ...payee, currency: line.currency };
    const made = await shop.insist('POST', '/beneficiaries', { body, idempotency_key: `${tag}-b` });
    return made?.status === 201 ? { beneficiary: made.body.beneficiary.id } : null;
  };
  const most = async () => {
    const answer = await shop.insist('GET', `/balance?currency=${line.currency}`, { headers });
    const available: number = answer?.status === 200 ? answer.body.balance.available : 0;
    return Math.floor(available * MOST * line.unit) / line.unit;
  };
  const name = `payout ${tag}: ${amount} ${line.currency}${account === null ? '' : ` of ${account}`} to ${line.channel}`;
  return { name, payments: 0, operations: [], run };
}
