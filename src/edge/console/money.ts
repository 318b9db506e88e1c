import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { Reply } from '../../tenants/api/route.ts';
import { ask } from '../../tenants/approvals/service.ts';
import { findByForm } from '../../tenants/approvals/store.ts';
import { listThresholds } from '../../tenants/approvals/threshold-store.ts';
import { needsSecond } from '../../tenants/approvals/thresholds.ts';
import { approvalActor } from './approvals/actor.ts';
import { payeeOf } from './approvals/payee.ts';
import { ranBefore } from './approvals/ran.ts';
import type { ApiCall, TeamVisit } from './page.ts';

/** Money that an operation moves out of a team's balance, in hundredths, with the fee. It is what the threshold is compared with. */
export interface Moved {
  amount_minor: Minor;
  currency: string;
}

/** What an operation that moves money is called with. An amount that its body leaves out is sent as the one that is compared. */
export type MovingCall = Pick<ApiCall, 'idempotency_key' | 'params' | 'verifyPayee'> & {
  body?: Readonly<Record<string, unknown>>;
};

/** The operation ran, or a second person was asked for a decision. */
export type Movement = { kind: 'done'; reply: Reply } | { kind: 'asked'; approval: string };

/**
 * Returns whether a movement needs a second person, and above which amount of its currency they do, in hundredths: null when each does, or
 * none. Pages say by it beforehand what {@link movesMoney} will decide.
 */
export async function secondRule({ approvals: { control }, team }: TeamVisit, moved: Moved) {
  const thresholds = await listThresholds(control, team.id);
  const own = thresholds.find(({ currency }) => currency === moved.currency);
  return { needed: needsSecond(thresholds, moved), above_minor: own?.above_minor ?? null };
}

/** Returns how many of these movements need a second person each, as {@link movesMoney} will decide. */
export async function countNeedingSecond({ approvals: { control }, team }: TeamVisit, all: readonly Moved[]): Promise<number> {
  const thresholds = await listThresholds(control, team.id);
  return all.filter((moved) => needsSecond(thresholds, moved)).length;
}

/**
 * Runs an operation that moves money out, as the person: the one way of the console to do so. Above the team's threshold nothing runs,
 * and a second person is asked. The form's token is the idempotency key in both cases, so that one form that was shown moves money
 * once, however often it is submitted and whatever the threshold was each time.
 * @param operation such as `POST /refunds`
 * @param call a key of its own for each of several movements of one form
 * @returns `asked` with the id of an approval, for a page to lead to: nothing has moved
 * @throws Problem as the API responds with it
 */
export async function movesMoney(visit: TeamVisit, operation: string, call: MovingCall, moved: Moved): Promise<Movement> {
  const { control, secrets } = visit.approvals;
  const { params, body: given } = call;
  const form_key = call.idempotency_key ?? visit.formKey;
  const known = await findByForm(control, visit.team.id, form_key);
  if (known !== undefined) return { kind: 'asked', approval: known };
  if (!(await secondRule(visit, moved)).needed) {
    return { kind: 'done', reply: await visit.api(operation, { ...call, idempotency_key: form_key }) };
  }
  // What the second person sees is what is sent: an amount that was left out is the one that was compared.
  const body = given ? { ...given, amount: given.amount ?? wireFromMinor(moved.amount_minor) } : {};
  const permission = visit.check(operation, body);
  const payee = await payeeOf(visit, body);
  if (payee) call.verifyPayee?.(payee);
  const request = {
    kind: 'money',
    operation,
    permission,
    form_key,
    ...moved,
    wanted: { body, ...(params ? { params } : {}), ...(payee ? { payee } : {}) },
  } as const;
  const approval = await control.transaction((tx) => ask(tx, secrets, approvalActor(visit), request));
  return { kind: 'asked', approval };
}

/** What an operation of a form has led to: the object that it made, whose id is known for a day, or an approval. */
export type Led = { kind: 'done'; id: string | null } | { kind: 'asked'; approval: string };

/** Returns what {@link movesMoney} has done with a key and a body before, however long ago; null: nothing. */
export async function movedBefore(
  visit: TeamVisit,
  operation: string,
  form_key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Led | null> {
  const approval = await findByForm(visit.approvals.control, visit.team.id, form_key);
  if (approval !== undefined) return { kind: 'asked', approval };
  const before = await ranBefore(visit, { operation, form_key }, { body });
  return before && { kind: 'done', id: before.resource_id };
}
