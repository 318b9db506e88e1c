import type { Actor } from './contract.ts';
import { amountOf, type Intent, numberOn, type Shop } from './shop.ts';

/** One payout of a shop. Some are larger than what it has. */
export function payoutActor(shop: Shop, tag: string): Actor {
  const random = shop.around.random.fork(tag);
  const line = random.pick(shop.lines.filter(({ field }) => field !== null));
  const amount = amountOf(random, line);
  const begins_ms = 300_000 + random.int(2_400_000);
  const way = random.pick(['recipient', 'object', 'beneficiary'] as const);
  const number = numberOn(random, line);
  const intent: Intent = { kind: 'transfer', tag, keyed: random.chance(0.85), sent: 0, ids: new Set() };
  const twice = random.chance(0.1);
  const payee = { name: 'Moussa Diallo', channel: line.channel, [line.field as string]: number };

  const run = async () => {
    await shop.around.sleep(begins_ms);
    const common = { amount, currency: line.currency, reference: tag };
    if (way !== 'beneficiary') {
      const to = way === 'object' ? { beneficiary: payee } : { recipient: number, channel: line.channel };
      await shop.wish(intent, '/transfers', { ...common, ...to }, { twice });
      return;
    }
    const made = await shop.insist('POST', '/beneficiaries', {
      body: { ...payee, currency: line.currency },
      idempotency_key: `${tag}-b`,
    });
    if (made?.status === 201)
      await shop.wish(intent, '/transfers', { ...common, beneficiary: made.body.beneficiary.id }, { twice });
  };
  return { name: `payout ${tag}: ${amount} ${line.currency} to ${line.channel}`, payments: 0, operations: [], run };
}
