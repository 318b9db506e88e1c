import type { Lookup } from '../contract.ts';
import { fieldsOf, type Reply } from '../wire/reply.ts';
import type { Client, Product } from './client.ts';
import { messageOf, errorOf } from './codes.ts';
import { partyOf } from './orders.ts';

/** Returns whether a number has an active wallet, and its holder where the market's API returns one. */
export async function lookUp(client: Client, product: Product, number: string): Promise<Lookup> {
  const party = partyOf(number);
  if (!party) return { kind: 'not_found' };
  const holder = `/v1_0/accountholder/msisdn/${party.partyId}`;
  const reply = await client.call(product, { method: 'GET', path: `${holder}/active` });
  const active = activityOf(reply);
  if (active === null) return { kind: 'unreadable', message: messageOf(reply) };
  if (!active) return { kind: 'not_found' };
  return { kind: 'found', name: nameOf(await client.call(product, { method: 'GET', path: `${holder}/basicuserinfo` })) };
}

/**
 * Parses the activity of a wallet: `{"result": true}` or a bare `true`. A 404 of the wallet means that the number is
 * unknown. Returns null when the response is not readable.
 */
function activityOf(reply: Reply): boolean | null {
  if (reply.kind !== 'answered') return null;
  if (reply.status === 404 && errorOf(reply).code === 'RESOURCE_NOT_FOUND') return false;
  if (reply.status !== 200) return null;
  const result = typeof reply.body === 'boolean' ? reply.body : fieldsOf(reply.body).result;
  return typeof result === 'boolean' ? result : null;
}

function nameOf(reply: Reply): string | null {
  if (reply.kind !== 'answered' || reply.status !== 200) return null;
  const { given_name, family_name } = fieldsOf(reply.body);
  const parts = [given_name, family_name].filter((part) => typeof part === 'string');
  return parts.join(' ').trim() || null;
}
