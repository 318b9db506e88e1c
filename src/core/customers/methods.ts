import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { must, notFound } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import { sealedPlace } from '../../kit/sealing.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import { deleteMethod, findLastWallet, findSealed, markUsed, type MethodUse, upsertMethods } from './methods-store.ts';
import type { PaymentMethodRow } from './schema.ts';
import type { CustomerContext } from './service.ts';
import type { CustomerRef } from './store.ts';

/** A payment method that a customer may use again. */
export interface MethodDetails {
  type: ChannelKind;
  channel: string;
  /** The phone or account number, or the provider's token for the card. */
  token: string;
  /** The account at the provider that issued the token. Null for a number, which every provider accepts. */
  provider_account: string | null;
  brand: string | null;
  /** Last four digits. For a card they come from the provider, because its token contains no digits. */
  last4: string | null;
}

/** Returns the context to which the encryption of a method's number or token is bound. */
export function vaultPlace(team_id: bigint, method_id: string): string {
  return sealedPlace('payment_methods.token_sealed', team_id, method_id);
}

/** Saves a payment method in the vault. Saving the same one again returns the existing one. */
export async function saveMethod(
  tx: Tx,
  secrets: Secrets,
  context: CustomerContext,
  customer: CustomerRef,
  means: MethodDetails,
): Promise<PaymentMethodRow> {
  const [row] = await saveMethods(tx, secrets, context, [{ customer, means }]);
  return must(row, 'the customer is there and was not erased');
}

/** A method to be saved. */
interface WantedMethod {
  customer: CustomerRef;
  means: MethodDetails;
  /** When it was used last, before it is saved. When omitted: now. */
  used_at?: Date;
}

/** Saves several methods in one statement. Leaves out those of customers who were erased concurrently. */
export function saveMethods(
  tx: Tx,
  secrets: Secrets,
  { environment, at }: CustomerContext,
  wanted: readonly WantedMethod[],
): Promise<PaymentMethodRow[]> {
  const now = new Date(at);
  const rows = wanted.map(({ customer: { team_id, id: customer_id }, means: { token, ...means }, used_at = now }) => {
    const id = newId('pm', environment, at);
    const token_sealed = secrets.seal(token, vaultPlace(team_id, id));
    const fingerprint = secrets.mac('payment-method', `${team_id}|${means.channel}|${means.provider_account ?? ''}|${token}`);
    return { ...means, team_id, id, customer_id, token_sealed, fingerprint, created_at: now, last_used_at: used_at };
  });
  rows.sort((a, b) => a.last_used_at.getTime() - b.last_used_at.getTime());
  const once = new Map(rows.map((row) => [`${row.team_id} ${row.customer_id} ${row.fingerprint}`, row]));
  return upsertMethods(tx, [...once.values()]);
}

/** Returns the mobile money method that the customer used last, without its number. */
export function lastWallet(db: Queryable, customer: CustomerRef): Promise<PaymentMethodRow | undefined> {
  return findLastWallet(db, customer);
}

/** Records uses of methods. Has no effect on a method that was deleted concurrently. */
export function touchMethods(tx: Tx, uses: readonly MethodUse[]): Promise<void> {
  return markUsed(tx, uses);
}

/**
 * Returns a saved mobile money method with its number, to be charged.
 * @returns undefined when this customer has no such method
 */
export async function openWallet(
  db: Queryable,
  environment: Environment,
  secrets: Secrets,
  customer: CustomerRef,
  id: string,
): Promise<{ channel: string; number: string } | undefined> {
  const row = isId('pm', environment, id) ? await findSealed(db, customer, id) : undefined;
  if (row?.type !== 'mobile_money') return undefined;
  return { channel: row.channel, number: secrets.open(row.token_sealed, vaultPlace(customer.team_id, id)) };
}

/**
 * Deletes a saved payment method.
 * @throws Problem 404
 */
export async function removeMethod(
  db: Queryable,
  environment: Environment,
  customer: CustomerRef,
  id: string,
): Promise<PaymentMethodRow> {
  const row = isId('pm', environment, id) ? await deleteMethod(db, customer, id) : undefined;
  if (!row) throw notFound();
  return row;
}
