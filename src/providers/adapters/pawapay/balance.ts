import type { FloatReading } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf } from '../wire/reply.ts';
import { rawMessage } from '../wire/text.ts';
import type { Account } from './account.ts';
import { areaOf } from './channels.ts';

/** Reads the balances of the account. Each wallet serves deposits and payouts of its country, or of one operator there. */
export async function readBalance({ client }: Account): Promise<FloatReading> {
  const reply = await client.get('/v2/wallet-balances');
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from pawaPay', reply.message) };
  const { balances } = fieldsOf(reply.body);
  if (reply.status !== 200 || !Array.isArray(balances)) {
    return { kind: 'unreadable', message: `pawaPay responded HTTP ${reply.status} without balances` };
  }
  const floats = listOf(balances).flatMap((entry) => {
    const { country, provider, currency, balance } = fieldsOf(entry);
    const amount_minor = minorOf(balance);
    const area = areaOf(country, provider);
    if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || amount_minor === null || area === null) return [];
    return [{ currency, amount_minor, use: 'both' as const, area }];
  });
  return { kind: 'held', floats };
}
