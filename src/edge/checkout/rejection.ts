import { must, Problem } from '../../kit/errors.ts';
import { type Hosted, openHosted } from '../../core/charge/hosted.ts';
import { isReason } from '../../providers/adapters/reasons.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { type CheckoutContext, type Opened, pathOf, type Shown, type Visit } from './context.ts';
import { type Language, textsIn } from '../pages/language.ts';
import { cardPageOf, notice, pageOf, problemAnswer } from './show.ts';
import type { Submission } from './submission.ts';
import type { FieldErrors, Typed } from './views/fields.ts';
import { countryName } from '../pages/scene.ts';

/**
 * Answers a rejected submit. As JSON: the error as the API would return it. In a browser: the page with an error beside
 * each invalid field. After a decline or in a wrong state, the page itself shows the payment's status.
 * @param opened the payment before the submit
 * @param card the submit came from the card page
 */
export async function showRejection(
  context: CheckoutContext,
  { visit, hosted: before }: Opened,
  rejected: Problem,
  submission: Submission | undefined,
  card: boolean,
): Promise<Shown> {
  const problem = withPageFields(rejected);
  if (visit.json) return problemAnswer(inLanguage(problem, visit.language));
  if (problem.status === 429) return showTooManyRequests(context, visit, problem, 'busy');
  const hosted = must(await openHosted(context.deps, visit.token), 'the payment was there when the submit came');
  // A 402 that has changed nothing, such as for an unverified team, is not visible in the payment's status.
  const isDecline = problem.status === 402 && statesOf(hosted) !== statesOf(before);
  if (isDecline || problem.status === 400) return { kind: 'redirect', to: pathOf(context, visit.token) };
  const fieldErrors = complaintsOf(problem, visit.language, submission);
  const rejection = { status: problem.status, typed: typedIn(submission), fieldErrors };
  return card ? cardPageOf(context, visit, hosted, rejection) : pageOf(context, visit, hosted, false, rejection);
}

/** Renames the field of the one-time code, which a page sends as `otp` and the API as `data.otp`. */
function withPageFields(problem: Problem): Problem {
  const { 'data.otp': otp, ...others } = problem.details.errors ?? {};
  return otp ? new Problem(problem.status, problem.message, { ...problem.details, errors: { ...others, otp } }) : problem;
}

function statesOf({ payment, attempts }: Hosted): string {
  return [payment, ...attempts].map(({ status }) => status).join();
}

/** Answers 429 with the time after which to retry, as a page with this notice or as JSON. */
export function showTooManyRequests(context: CheckoutContext, visit: Visit, problem: Problem, what: 'busy' | 'wait'): Shown {
  if (visit.json) return problemAnswer(problem);
  const headers = problem.details.headers ?? {};
  const answer = notice(visit, 429, what, pathOf(context, visit.token), Number(headers['Retry-After']));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Translates `payer_message` into the payer's language, because clients show it unchanged. */
function inLanguage(problem: Problem, language: Language): Problem {
  const payer_message = problem.status === 402 ? refusalOf(problem, language) : null;
  return payer_message === null ? problem : new Problem(402, problem.message, { ...problem.details, payer_message });
}

/** Returns the reason of a rejection that does not depend on the input, in the payer's language; null for an error of the input. */
function refusalOf({ details: { error_code } }: Problem, language: Language): string | null {
  const { checkout, reasons } = textsIn(language);
  switch (error_code) {
    case 'link_full':
      return checkout.errors.linkFull;
    case 'link_used':
      return checkout.errors.linkUsed;
    case 'merchant_not_verified':
      return checkout.errors.notVerified;
    case 'ceiling_exceeded':
      return checkout.errors.ceiling;
    case 'customer_blocked':
      return checkout.errors.blocked;
    default:
      return error_code !== undefined && isReason(error_code) ? reasons[error_code] : null;
  }
}

function typedIn(submission: Submission | undefined): Typed {
  // No number was typed. The saved number, if there still is one, remains the first choice.
  if (!submission || submission.saved_method !== undefined) return {};
  const { channel, phone, account_number } = submission;
  const [id, number, account] = [channel, phone, account_number].map((value) => (typeof value === 'string' ? value : undefined));
  const kind = id === undefined ? undefined : channelById(id)?.kind;
  return { kind: kind ?? (account === undefined ? 'mobile_money' : 'bank'), channel: id, phone: number, account_number: account };
}

/** Returns one plain sentence for each invalid field. The validation messages are written for developers. */
function complaintsOf(problem: Problem, language: Language, submission: Submission | undefined): FieldErrors {
  const { errors, refusedText } = textsIn(language).checkout;
  const fields = problem.details.errors ?? {};
  const has = (name: string) => Object.hasOwn(fields, name);
  const refusal = refusalOf(problem, language);
  if (refusal !== null) return { alert: refusal };
  if (problem.status === 502) return { alert: errors.unavailable };
  if (has('form_token')) return { alert: errors.form };
  if (has('saved_method')) return { alert: errors.saved };
  // The page states that another browser holds it. Otherwise only a typed number can be wrong.
  if (problem.status === 403) return hasNumber(submission) ? { phone: errors.number } : {};
  if (has('amount')) return { alert: errors.amount };
  // The payer left the choice of the operator to us.
  const unrecognised = submission?.channel === undefined && submission?.phone !== undefined;
  const fieldErrors: FieldErrors = {
    ...(has('channel') ? { channel: unrecognised ? errors.operator : errors.channel } : {}),
    ...(has('data.phone') ? { phone: errors.phone(countryOf(language, submission)) } : {}),
    ...(has('data.account_number') ? { account: errors.account } : {}),
    ...(has('number') ? { card: errors.card } : {}),
    ...(has('otp') ? { otp: errors.otp } : {}),
  };
  return Object.keys(fieldErrors).length > 0 ? fieldErrors : { alert: refusedText };
}

function hasNumber(submission: Submission | undefined): boolean {
  return submission?.phone !== undefined || submission?.account_number !== undefined;
}

function countryOf(language: Language, submission: Submission | undefined): string | null {
  const channel = typeof submission?.channel === 'string' ? channelById(submission.channel) : undefined;
  return channel ? countryName(language, channel.country) : null;
}
