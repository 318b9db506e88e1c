import type { FloatReading } from '../contract.ts';
import { balanceOf } from '../wire/amounts.ts';
import { fieldsOf } from '../wire/reply.ts';
import type { Client } from './client.ts';
import { codeOf, messageOf } from './codes.ts';

/** Reads the balance of the transfer wallet. Collected money is in another wallet that no API reports. */
export async function readBalance(client: Client, currency: string): Promise<FloatReading> {
  const reply = await client.read('/v1/transfer/check/balance');
  if (reply.kind !== 'answered' || codeOf(reply) !== '0') return { kind: 'unreadable', message: messageOf(reply) };
  const amount_minor = balanceOf(fieldsOf(fieldsOf(reply.body).data).available);
  if (amount_minor === null) return { kind: 'unreadable', message: 'a balance without a legible amount' };
  return { kind: 'held', floats: [{ currency, amount_minor, use: 'payout' }] };
}
