import { isDeepStrictEqual } from 'node:util';
import { sentDetails } from '../../../core/accounts/details.ts';
import type { AccountRow, CreateAccountBody } from '../../../core/accounts/schema.ts';
import { getAccount } from '../../../core/accounts/service.ts';
import { Problem } from '../../../kit/errors.ts';
import type { PaysOutTo } from '../../../tenants/api/route.ts';
import type { Wanted } from '../../../tenants/approvals/schema.ts';
import type { Answer, TeamVisit } from '../page.ts';
import { heldBack, type MadeBefore } from './held.ts';

/** Fields that determine where the money of a subaccount goes. */
type Destination = Pick<AccountRow, 'split' | 'settlement'>;

/** Fields that the form of a subaccount shows. */
type Shown = Destination & Pick<AccountRow, 'id' | 'name' | 'email' | 'phone'>;

const NOWHERE: Destination = { split: null, settlement: null };

/** Returns whether the body changes where the subaccount's money goes. */
export function isRedirected(body: CreateAccountBody, before: Destination | null): boolean {
  return !isDeepStrictEqual(destinationOf(sentDetails(body)), before ? destinationOf(before) : NOWHERE);
}

/**
 * Requests the approval of a new subaccount with a destination, or of a change of the destination of a subaccount's money.
 * @param before the subaccount that is changed; null: a new one
 * @returns where the form leads; null: the team has no threshold
 * @throws Problem as the operation does for an invalid form
 */
export function heldAccount(
  visit: TeamVisit,
  body: CreateAccountBody,
  before: Shown | null,
  madeBefore: MadeBefore,
): Promise<Answer | null> {
  const operation = before ? 'PATCH /accounts/:id' : 'POST /accounts';
  const permission = visit.check(operation, body);
  const sent = before ? withoutKept(body, before) : body;
  const seen = before ? { params: { id: before.id }, account: { ...destinationOf(before) } } : {};
  return heldBack(visit, { kind: 'account', operation, permission, body: sent, seen }, madeBefore);
}

/** Leaves out unchanged details. The decision may take days, and sending them would undo changes made meanwhile. */
function withoutKept(body: CreateAccountBody, before: Shown): Readonly<Record<string, unknown>> {
  const isKept = (name: string, value: unknown) =>
    (name === 'name' || name === 'email' || name === 'phone') && value === before[name];
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isKept(name, value)));
}

/** Returns whether the destination of the subaccount's money has changed since the request, or the subaccount is gone. */
export async function hasOtherDestination(visit: TeamVisit, wanted: Wanted): Promise<boolean> {
  return isOtherDestination(wanted, await currentOf(visit, wanted.params?.id));
}

/** Returns whether a destination differs from the one at the time of the request. */
export function isOtherDestination({ account }: Wanted, now: PaysOutTo | null): boolean {
  return account !== undefined && !isDeepStrictEqual(now && { split: now.split, settlement: now.settlement }, account);
}

async function currentOf({ store, team }: TeamVisit, id = ''): Promise<Destination | null> {
  try {
    return destinationOf(await getAccount(store.db, store.environment, { team_id: team.id, id }));
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

function destinationOf({ split = null, settlement = null }: Partial<Destination>): Destination {
  return { split, settlement };
}
