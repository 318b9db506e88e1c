import type { Tx } from '../../../kit/sql.ts';
import { rolledBack } from '../../../platform/db/rolled-back.ts';
import type { Request } from '../../../tenants/approvals/service.ts';
import { findByForm } from '../../../tenants/approvals/store.ts';
import { listThresholds } from '../../../tenants/approvals/threshold-store.ts';
import { lockThresholds, refuseTooFew } from '../../../tenants/approvals/thresholds.ts';
import type { Wanted } from '../../../tenants/approvals/schema.ts';
import type { KeyKind } from '../../../tenants/keys/caller.ts';
import type { Scope } from '../../../tenants/keys/scopes.ts';
import { rightsOf } from '../../../tenants/keys/service.ts';
import { type Answer, redirect, type TeamVisit } from '../page.ts';
import { askUnlessRan } from './once.ts';

/** Scopes with which a key moves money, or decides where it goes. */
const MONEY_SCOPES: readonly Scope[] = ['refund.write', 'transfer.write', 'beneficiary.write', 'account.write', 'dispute.write'];

/** Whether such a key is a way past the second person. Public keys are not: the API lets none of them change where money goes. */
export function movesMoneyOut(kind: KeyKind, scopes: readonly string[]): boolean {
  return kind !== 'public' && rightsOf(kind, scopes).some((scope) => MONEY_SCOPES.includes(scope));
}

/** An action that changes who could move money, how much, or where it goes. */
export type HeldAction = Pick<Request, 'operation' | 'permission'> & {
  kind: 'account' | 'key' | 'person' | 'threshold';
  body: Readonly<Record<string, unknown>>;
  /** Parts of the request outside of the body, and the state on which it relies. */
  seen?: Omit<Wanted, 'body'>;
};

/**
 * Returns where a form leads whose action is done, for example because the form ran before the team had a threshold; null when it is not.
 * A second person could only reject what has already happened.
 */
export type MadeBefore = () => Promise<Answer | null>;

/**
 * Requests the approval of an action that is not done, in a team that has a threshold.
 * @param rehearse runs the action in a transaction that is rolled back, so that its faults are reported at once and no request is stored
 * @returns where the form leads; null: the team has no threshold, so the action is not held
 * @throws Problem of the rehearsal
 */
export async function heldBack(
  visit: TeamVisit,
  { body, seen = {}, ...action }: HeldAction,
  madeBefore: MadeBefore,
  rehearse?: (tx: Tx) => Promise<unknown>,
): Promise<Answer | null> {
  const { control } = visit.approvals;
  const known = await findByForm(control, visit.team.id, visit.formKey);
  if (known !== undefined) return toApproval(visit, known);
  if ((await listThresholds(control, visit.team.id)).length === 0) return null;
  const before = await madeBefore();
  if (before) return before;
  if (rehearse) {
    await rolledBack(control, async (tx) => {
      await rehearse(tx);
      await refuseTooFew(tx, visit.team.id);
    });
  }
  const request = { ...action, form_key: visit.formKey, amount_minor: null, currency: null, wanted: { body, ...seen } };
  const led = await askUnlessRan(visit, request, madeBefore);
  return 'ran' in led ? led.ran : toApproval(visit, led.approval);
}

/** A change in `control`, where people, keys and thresholds are. */
export interface Change<T> {
  change(tx: Tx): Promise<T>;
  madeBefore: MadeBefore;
  /** Whether {@link change} is rehearsed before its approval is requested. */
  rehearsed: boolean;
}

/**
 * Makes a change, or requests its approval in a team that has a threshold.
 * @returns what the change returned, or where the form leads instead
 * @throws Problem of the change
 */
export async function changeOrAsk<T>(
  visit: TeamVisit,
  action: HeldAction,
  how: Change<T>,
): Promise<{ made: T } | { answer: Answer }> {
  const answer = await heldBack(visit, action, how.madeBefore, how.rehearsed ? how.change : undefined);
  if (answer) return { answer };
  const done = await visit.approvals.control.transaction(async (tx) => {
    if ((await lockThresholds(tx, visit.team.id)).length > 0) return null;
    return { made: await how.change(tx) };
  });
  // Null: the first threshold was set meanwhile.
  return done ?? changeOrAsk(visit, action, how);
}

/** Redirects to the page of an approval. */
export function toApproval({ base }: TeamVisit, id: string): Answer {
  return redirect(`${base}/approvals/${id}`);
}
