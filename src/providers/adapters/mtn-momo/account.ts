import type { FloatReading, Lookup } from '../contract.ts';
import { minorOf } from '../wire/amounts.ts';
import { fieldsOf, type Reply } from '../wire/reply.ts';
import type { Client, Product } from './client.ts';
import { wordingOf } from './map.ts';
import { partyOf } from './order.ts';

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
  const amount_minor = minorOf(availableBalance);
  if (amount_minor === null || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return null;
  return { currency, amount_minor, use: USES[product] };
}

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
  if (reply.status === 404 && wordingOf(reply).word === 'RESOURCE_NOT_FOUND') return false;
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

function messageOf(reply: Reply): string {
  return reply.kind === 'answered' ? wordingOf(reply).message : reply.message;
}
