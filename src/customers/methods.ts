import type { Secrets } from '../kit/crypto.ts';
import type { Environment } from '../kit/environment.ts';
import { notFound } from '../kit/errors.ts';
import { isId, newId } from '../kit/ids.ts';
import type { Queryable, Tx } from '../kit/sql.ts';
import type { ChannelKind } from '../providers/contract.ts';
import { deleteMethod, upsertMethod } from './methods-store.ts';
import type { PaymentMethodRow } from './schema.ts';
import type { CustomerContext } from './service.ts';
import type { CustomerRef } from './store.ts';

/** A means of payment that a customer may use again. */
export interface Means {
  type: ChannelKind;
  channel: string;
  /** The number or account, or what the provider gave us to stand for the card. */
  token: string;
  /** The account at the provider whose token it is; null for a number, which every provider takes. */
  provider_account: string | null;
  brand: string | null;
  /** Left out for a card whose token says nothing: told by the provider. */
  last4: string | null;
}

/** Puts a means of payment into the vault; the same one twice is one. */
export function saveMethod(
  tx: Tx,
  secrets: Secrets,
  { environment, at }: CustomerContext,
  customer: CustomerRef,
  { token, ...means }: Means,
): Promise<PaymentMethodRow> {
  const now = new Date(at);
  return upsertMethod(tx, {
    ...means,
    team_id: customer.team_id,
    id: newId('pm', environment, at),
    customer_id: customer.id,
    token_sealed: secrets.seal(token),
    fingerprint: secrets.mac('payment-method', `${customer.team_id}|${means.channel}|${means.provider_account ?? ''}|${token}`),
    created_at: now,
    last_used_at: now,
  });
}

/** @throws Problem 404 */
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
