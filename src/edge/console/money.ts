import { type Minor, wireFromMinor } from '../../kit/money.ts';
import { shownIn } from '../../tenants/api/idempotency.ts';
import { findByForm } from '../../tenants/approvals/store.ts';
import { listThresholds } from '../../tenants/approvals/threshold-store.ts';
import { needsSecond } from '../../tenants/approvals/thresholds.ts';
import { askUnlessRan, runUnlessAsked, type Turn } from './approvals/once.ts';
import { payeeOf } from './approvals/payee.ts';
import { ranBefore } from './approvals/ran.ts';
import type { ApiCall, TeamVisit } from './page.ts';

/** Money that an operation moves out of a team's balance, in hundredths, with the fee. It is compared with the threshold. */
export interface Moved {
  amount_minor: Minor;
  currency: string;
}

/** Input of an operation that moves money. When the body has no amount, the compared amount is sent. */
export type MovingCall = Pick<ApiCall, 'idempotency_key' | 'params' | 'verifyPayee'> & {
  body?: Readonly<Record<string, unknown>>;
  /** For an operation that accepts no idempotency key. */
  turn?: Turn;
};

/**
 * Result of a form: its operation ran, with the id of the object that it made, stored for a day; or an approval was requested.
 * `earlier`: the operation had run before this call.
 */
export type Movement = { kind: 'done'; id: string | null; earlier: boolean } | { kind: 'asked'; approval: string };

/**
 * Returns whether a movement needs a second person, and the threshold of its currency in hundredths: null when every movement does, or
 * none. Pages use it to announce what {@link movesMoney} will decide.
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
 * Runs an operation that moves money out, as the person. The console moves money only here. Above the team's threshold nothing runs,
 * and the approval of a second person is requested. The form's token is the idempotency key in both cases, so that one displayed form
 * moves money once, however often it is submitted and whatever the threshold was each time. An earlier result of the form is returned
 * first: a second person could only reject what has already happened.
 * @param operation such as `POST /refunds`
 * @param call input, with a separate key for each of several movements of one form
 * @returns `asked` with the id of an approval to which the page leads: no money has moved
 * @throws Problem as the API responds with it
 */
export async function movesMoney(visit: TeamVisit, operation: string, call: MovingCall, moved: Moved): Promise<Movement> {
  const { params, body: given } = call;
  const form_key = call.idempotency_key ?? visit.formKey;
  const before = await movedBefore(visit, operation, call);
  if (before) return before;
  if (!(await secondRule(visit, moved)).needed) {
    const led = await runUnlessAsked(visit, operation, { ...call, idempotency_key: form_key });
    return 'reply' in led ? { kind: 'done', id: shownIn(led.reply), earlier: false } : { kind: 'asked', ...led };
  }
  // The body that the second person sees is the one that is sent. Without an amount in it, the compared amount is used.
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
  const led = await askUnlessRan(visit, request, () => movedBefore(visit, operation, call), call.turn);
  return 'ran' in led ? led.ran : { kind: 'asked', ...led };
}

/** Returns the earlier result of {@link movesMoney} for the same call, however long ago; null when there is none. */
export async function movedBefore(
  visit: TeamVisit,
  operation: string,
  { idempotency_key, params = {}, body = {} }: MovingCall,
): Promise<Movement | null> {
  const form_key = idempotency_key ?? visit.formKey;
  const approval = await findByForm(visit.approvals.control, visit.team.id, form_key);
  if (approval !== undefined) return { kind: 'asked', approval };
  const before = await ranBefore(visit, { operation, form_key }, { params, body });
  return before && { kind: 'done', id: before.resource_id, earlier: true };
}
