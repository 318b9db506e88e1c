import type { Lookup } from '../contract.ts';
import { fieldsOf, textOf } from '../wire/reply.ts';
import { digitsOf, rawMessage } from '../wire/text.ts';
import type { Account } from './account.ts';
import { providerOf } from './channels.ts';

/**
 * Returns whether a number, ported numbers included, belongs to the operator of a channel. pawaPay returns no holder
 * name.
 */
export async function lookUp({ client }: Account, channelId: string, number: string): Promise<Lookup> {
  const provider = providerOf(channelId);
  if (!provider) return { kind: 'unreadable', message: `pawaPay does not serve ${channelId}` };
  const reply = await client.query('/v2/predict-provider', { phoneNumber: digitsOf(number) });
  if (reply.kind !== 'answered') return { kind: 'unreadable', message: rawMessage('no response from pawaPay', reply.message) };
  const predicted = textOf(fieldsOf(reply.body).provider);
  if (reply.status === 400) return { kind: 'not_found' };
  if (reply.status !== 200 || !predicted) {
    return { kind: 'unreadable', message: `pawaPay responded HTTP ${reply.status} without an operator` };
  }
  return predicted === provider ? { kind: 'found', name: null } : { kind: 'not_found' };
}
