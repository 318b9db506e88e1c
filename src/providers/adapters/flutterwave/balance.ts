import type { FloatReading } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf } from '../wire/reply.ts';
import type { Client } from './client.ts';
import { envelopeOf } from './codes.ts';

/** Reads the balances. One wallet for each currency serves all operations. */
export async function readBalance(client: Client): Promise<FloatReading> {
  const reply = await client.get('/balances');
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { api_status, data, message } = envelopeOf(reply);
  if (reply.status !== 200 || api_status !== 'success' || !Array.isArray(data)) return { kind: 'unreadable', message };
  const floats = listOf(data).flatMap((wallet) => {
    const { currency, available_balance } = fieldsOf(wallet);
    const amount_minor = minorOf(available_balance);
    return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) && amount_minor !== null
      ? [{ currency, amount_minor, use: 'both' as const }]
      : [];
  });
  return { kind: 'held', floats };
}
