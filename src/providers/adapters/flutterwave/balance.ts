import type { FloatReading } from '../contract.ts';
import { heldIn } from '../wire/balances.ts';
import { fieldsOf, listOf } from '../wire/reply.ts';
import type { Client } from './client.ts';
import { envelopeOf } from './codes.ts';

/** Reads the balances. One wallet for each currency serves all operations. */
export async function readBalance(client: Client): Promise<FloatReading> {
  const reply = await client.get('/balances');
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: reply.message };
  const { api_status, data, message } = envelopeOf(reply);
  if (reply.status !== 200 || api_status !== 'success' || !Array.isArray(data)) return { kind: 'unreadable', message };
  const wallets = listOf(data).map(fieldsOf);
  return heldIn(wallets.map(({ currency, available_balance: amount }) => ({ currency, amount, use: 'both' })));
}
