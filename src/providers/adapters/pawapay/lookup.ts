import type { FloatReading, Lookup } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, listOf, textOf } from '../wire/reply.ts';
import { digitsOf, rawWords } from '../wire/words.ts';
import type { Account } from './account.ts';
import { areaOf, providerOf } from './channels.ts';

/** Reads the balances of the account. Each wallet serves deposits and payouts of its country, or of one operator there. */
export async function readBalances({ client }: Account): Promise<FloatReading> {
  const reply = await client.get('/v2/wallet-balances');
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawWords('no answer from pawaPay', reply.message) };
  const { balances } = fieldsOf(reply.body);
  if (reply.status !== 200 || !Array.isArray(balances)) {
    return { kind: 'unreadable', message: `pawaPay answered HTTP ${reply.status} without balances` };
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

/**
 * Returns whether a number, ported numbers included, belongs to the operator of a channel. pawaPay returns no holder
 * name.
 */
export async function lookUpNumber({ client }: Account, channelId: string, number: string): Promise<Lookup> {
  const provider = providerOf(channelId);
  if (!provider) return { kind: 'unreadable', message: `pawaPay does not serve ${channelId}` };
  const reply = await client.ask('/v2/predict-provider', { phoneNumber: digitsOf(number) });
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawWords('no answer from pawaPay', reply.message) };
  const predicted = textOf(fieldsOf(reply.body).provider);
  if (reply.status === 400) return { kind: 'not_found' };
  if (reply.status !== 200 || !predicted) {
    return { kind: 'unreadable', message: `pawaPay answered HTTP ${reply.status} without an operator` };
  }
  return predicted === provider ? { kind: 'found', name: null } : { kind: 'not_found' };
}
