import type { FloatReading } from '../contract.ts';
import { heldIn } from '../wire/balances.ts';
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
  return heldIn(
    listOf(balances).flatMap((entry) => {
      const { country, provider, currency, balance: amount } = fieldsOf(entry);
      const area = areaOf(country, provider);
      return area === null ? [] : [{ currency, amount, use: 'both', area }];
    }),
  );
}
