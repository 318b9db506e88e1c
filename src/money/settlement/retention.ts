import type { ChannelKind } from '../../kit/channel-kind.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Config } from '../../platform/config/config.ts';
import type { AccountName } from '../ledger/accounts.ts';
import type { Share } from './shares.ts';
import type { SettlementItem } from './store.ts';

/*
 * Retention: how long captured money is pending before the merchant can use it. This file alone decides it. Everything else
 * passes on the time that it computes.
 */

/** When captured money becomes available; null: immediately, without retention. */
export type AvailableAt = Date | null;

/**
 * Returns when money captured on a channel becomes available. The sandbox retains nothing.
 * @param at time of the capture, in milliseconds since the epoch
 */
export function availableAt(
  config: Pick<Config, 'retention_ms'>,
  environment: Environment,
  kind: ChannelKind,
  at: number,
): AvailableAt {
  const retention_ms = environment === 'sandbox' ? 0 : config.retention_ms[kind];
  return retention_ms === 0 ? null : new Date(at + retention_ms);
}

/** Returns the kind of account to which captured money is posted. */
export function captureAccount(available_at: AvailableAt): Extract<AccountName, 'available' | 'pending'> {
  return available_at === null ? 'available' : 'pending';
}

/**
 * Returns the settlement items of a completed payment. They determine how much retained money is released, and how a refund is
 * divided among the parties.
 * @param at time of the capture, in milliseconds since the epoch
 */
export function itemsOf(
  payment: Pick<SettlementItem, 'team_id' | 'payment_id' | 'currency'>,
  shares: readonly Share[],
  available_at: AvailableAt,
  at: number,
): SettlementItem[] {
  return shares.map(({ account_id, amount_minor }) => ({
    ...payment,
    account_id,
    share_minor: amount_minor,
    amount_minor: available_at === null ? 0n : amount_minor,
    release_at: available_at ?? new Date(at),
    released_at: available_at === null ? new Date(at) : null,
  }));
}
