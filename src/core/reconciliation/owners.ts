import { must } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import type { Queryable } from '../../kit/sql.ts';
import { findRefund } from '../refunds/store.ts';
import type { TransferRow } from '../transfers/schema.ts';
import { findTransfer } from '../transfers/store.ts';
import type { BreakRow } from './schema.ts';

/** A party to which money of a break belongs, and its weight among all of them. */
export interface Owner {
  /** The connected subaccount; '' is the team itself. */
  account_id: string;
  weight: Minor;
}

/** The team as the owner of money that belongs to no other party. */
export const TEAM: readonly Owner[] = [{ account_id: '', weight: 1n }];

/** Returns the payout that a break is about; undefined when it is about other money. */
export async function payoutOf(
  db: Queryable,
  { team_id, flow, subject_id: id, leg }: BreakRow,
): Promise<TransferRow | undefined> {
  if (id === null || flow === 'collect' || leg !== null) return undefined;
  return must(await findTransfer(db, { team_id, id }), 'transfers are never deleted');
}

/**
 * Returns the owners of the money of a break. The owner of a payout is the party that paid it. The owners of a part of a refund are the
 * parties from which the refund was drawn, in the proportions in which they gave. A difference in a collection belongs to the team alone:
 * it never becomes part of the payment, so it is not split, like a return that the merchant keeps.
 */
export async function ownersOf(db: Queryable, row: BreakRow): Promise<readonly Owner[]> {
  const payout = await payoutOf(db, row);
  if (payout) return [{ account_id: payout.account_id ?? '', weight: 1n }];
  const { team_id, flow, subject_id: id } = row;
  if (id === null || flow === 'collect') return TEAM;
  const { draws } = must(await findRefund(db, team_id, id), 'refunds are never deleted');
  const given = Map.groupBy(draws ?? [], ({ account_id }) => account_id);
  const owners = [...given].map(([account_id, own]): Owner => {
    return { account_id, weight: own.reduce((sum, { amount_minor }) => sum + amount_minor, 0n) };
  });
  return owners.length === 0 ? TEAM : owners;
}
