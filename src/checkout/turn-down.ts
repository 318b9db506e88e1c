import { must, Problem } from '../kit/errors.ts';
import { openHosted } from '../payments/hosted.ts';
import { isChargeable } from '../payments/refusals.ts';
import { isReason, payerMessage } from '../providers/reasons.ts';
import { channelById } from '../reference/channels.ts';
import { type Desk, pathOf, type Shown, type Visit } from './desk.ts';
import type { Language } from './language.ts';
import { messagesIn } from './messages.ts';
import { cardPageOf, notice, pageOf, problemAnswer } from './show.ts';
import type { Submission } from './submission.ts';
import type { Complaints, Typed } from './views/fields.ts';
import { countryName } from './views/scene.ts';

/**
 * The answer to a submit that was not taken. As JSON: what the API would say. In a browser: the page with what is wrong
 * beside its field; after a decline or in a wrong state the page itself tells how the payment stands.
 * @param card the submit came from the card page
 */
export async function turnDown(
  desk: Desk,
  visit: Visit,
  problem: Problem,
  submission: Submission | undefined,
  card: boolean,
): Promise<Shown> {
  if (visit.json) return problemAnswer(inLanguage(problem, visit.language));
  if (problem.status === 429) return tooMany(desk, visit, problem);
  const hosted = must(await openHosted(desk.deps, visit.token), 'the payment was there when the submit came');
  // Refused for now: the page that says how the payment stands would say nothing of it.
  const later = problem.details.error_code === 'fraud_blocked' && isChargeable(hosted.payment);
  if ((problem.status === 402 && !later) || problem.status === 400) return { kind: 'redirect', to: pathOf(desk, visit.token) };
  const complaints = complaintsOf(problem, visit.language, submission);
  const turned = { status: problem.status, typed: typedIn(submission), complaints };
  return card ? cardPageOf(desk, visit, hosted, turned) : pageOf(desk, visit, hosted, false, turned);
}

/** A page for a browser, which is told when to come back. */
export function tooMany(desk: Desk, visit: Visit, problem: Problem): Shown {
  if (visit.json) return problemAnswer(problem);
  const headers = problem.details.headers ?? {};
  const answer = notice(visit, 429, 'busy', pathOf(desk, visit.token), Number(headers['Retry-After']));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** `payer_message` is shown as it is, so it is written in the payer's language. */
function inLanguage(problem: Problem, language: Language): Problem {
  const { error_code } = problem.details;
  if (problem.status !== 402 || error_code === undefined || !isReason(error_code)) return problem;
  return new Problem(402, problem.message, { ...problem.details, payer_message: payerMessage(error_code, language) });
}

function typedIn(submission: Submission | undefined): Typed {
  // Nothing was typed: the saved number stays the first choice, while it is there.
  if (!submission || submission.saved_method !== undefined) return {};
  const { channel, phone, account_number } = submission;
  const [id, number, account] = [channel, phone, account_number].map((value) => (typeof value === 'string' ? value : undefined));
  const kind = id === undefined ? undefined : channelById(id)?.kind;
  return { kind: kind ?? (account === undefined ? 'mobile_money' : 'bank'), channel: id, phone: number, account_number: account };
}

/** Our checks speak to developers; a payer gets one plain sentence for each field. */
function complaintsOf(problem: Problem, language: Language, submission: Submission | undefined): Complaints {
  const { errors, refusedText } = messagesIn(language);
  const fields = problem.details.errors ?? {};
  const has = (name: string) => Object.hasOwn(fields, name);
  if (problem.status === 502) return { alert: errors.unavailable };
  if (has('form_token')) return { alert: errors.form };
  if (has('saved_method')) return { alert: errors.saved };
  if (problem.status === 403) return { phone: errors.number };
  if (has('amount')) return { alert: errors.amount };
  // The payer left it to us to recognise the operator.
  const unrecognised = submission?.channel === undefined && submission?.phone !== undefined;
  const complaints: Complaints = {
    ...(has('channel') ? { channel: unrecognised ? errors.operator : errors.channel } : {}),
    ...(has('data.phone') ? { phone: errors.phone(countryOf(language, submission)) } : {}),
    ...(has('data.account_number') ? { account: errors.account } : {}),
    ...(has('number') ? { card: errors.card } : {}),
    ...(has('otp') ? { otp: errors.otp } : {}),
  };
  return Object.keys(complaints).length > 0 ? complaints : { alert: refusedText };
}

function countryOf(language: Language, submission: Submission | undefined): string | null {
  const channel = typeof submission?.channel === 'string' ? channelById(submission.channel) : undefined;
  return channel ? countryName(language, channel.country) : null;
}
