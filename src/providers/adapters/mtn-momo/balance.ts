import type { FloatReading } from '../contract.ts';
import { balanceOf } from '../wire/amounts.ts';
import { fieldsOf, type Reply } from '../wire/reply.ts';
import type { Client, Product } from './client.ts';
import { messageOf } from './codes.ts';

type Float = Extract<FloatReading, { kind: 'held' }>['floats'][number];

const USES = { collection: 'collection', disbursement: 'payout' } as const;

/**
 * Reads the balances of the account. Each product has its own float. If one balance is missing, the result is
 * `unreadable`.
 */
export async function readBalance(client: Client, products: readonly Product[]): Promise<FloatReading> {
  const floats: Float[] = [];
  for (const product of products) {
    const reply = await client.call(product, { method: 'GET', path: '/v1_0/account/balance' });
    const float = floatOf(reply, product);
    if (!float) return { kind: 'unreadable', message: `${product}: ${messageOf(reply)}` };
    floats.push(float);
  }
  return floats.length > 0 ? { kind: 'held', floats } : { kind: 'unreadable', message: 'the account has no product' };
}

function floatOf(reply: Reply, product: Product): Float | null {
  if (reply.kind !== 'answered' || reply.status !== 200) return null;
  const { availableBalance, currency } = fieldsOf(reply.body);
  const amount_minor = balanceOf(availableBalance);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return null;
  return { currency, amount_minor, use: USES[product] };
}
