import type { FloatReading } from '../contract.ts';
import { balanceOf } from '../wire/amounts.ts';
import { fieldsOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';
import type { Client } from './client.ts';
import { errorOf } from './codes.ts';

/** Reads the balance of the wallet, which serves collections and payouts. */
export async function readBalance(client: Client): Promise<FloatReading> {
  const reply = await client.call({ method: 'GET', path: '/v1/balance' });
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from Wave', reply.message) };
  const { amount, currency } = fieldsOf(reply.body);
  const amount_minor = balanceOf(amount);
  if (reply.status !== 200 || amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    return { kind: 'unreadable', message: errorOf(reply).message };
  }
  return { kind: 'held', floats: [{ currency, amount_minor, use: 'both' }] };
}
