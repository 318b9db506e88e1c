import { getBeneficiary } from '../../../core/beneficiaries/service.ts';
import { isId } from '../../../kit/ids.ts';
import { Problem } from '../../../kit/errors.ts';
import type { PaidTo } from '../../../tenants/api/route.ts';
import type { Wanted } from '../../../tenants/approvals/schema.ts';
import type { TeamVisit } from '../page.ts';

/**
 * Returns the current saved recipient that a payout names; null when the body contains the recipient itself, or none.
 * @throws Problem 404 when it does not exist
 */
export async function payeeOf({ store, team }: TeamVisit, body: Readonly<Record<string, unknown>>): Promise<PaidTo | null> {
  const id = [body.beneficiary, body.recipient].find(
    (one): one is string => typeof one === 'string' && isId('ben', store.environment, one),
  );
  if (id === undefined) return null;
  const row = await getBeneficiary(store.db, store.environment, { team_id: team.id, id });
  const { name, channel, account_number, phone, bank_code, country } = row;
  return { name, channel, account_number, phone, bank_code, country };
}

/** Returns whether the saved recipient has changed since the payout was requested, or is gone. */
export async function hasOtherPayee(visit: TeamVisit, wanted: Wanted): Promise<boolean> {
  if (!wanted.payee) return false;
  const now = await payeeOf(visit, wanted.body).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  });
  return isOtherPayee(wanted, now ?? {});
}

/** Returns whether a recipient differs from the one that was saved when the payout was requested. */
export function isOtherPayee({ payee = {} }: Wanted, now: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(payee).some((name) => payee[name] !== now[name]);
}
