import { payer } from '../../tenants/audit/actor.ts';
import type { Config } from '../../platform/config/config.ts';
import { envelope } from '../../kit/envelope.ts';
import { invalid, notFound, Problem, unreachable } from '../../kit/errors.ts';
import type { Charged } from '../../core/charge/charge.ts';
import { malformedCode, readCode } from '../../core/charge/code.ts';
import {
  bindingHolderOf,
  cancelFrom,
  chargeFrom,
  continueFrom,
  otherBrowser,
  type Hosted,
  holderOf,
  isHostedToken,
  openAttempt,
  takeOver,
  wasCharged,
} from '../../core/charge/hosted.ts';
import { type Charge, fitCharge, type Instrument, readInstrument } from '../../core/charge/instrument.ts';
import { publicOf, retrieved } from '../../core/payments/present.ts';
import { unchargedOf } from '../../core/payments/retry.ts';
import { isPayerKnown, madeByServer, savedInstrument } from '../../core/charge/saved.ts';
import type { AttemptRow } from '../../core/attempts/schema.ts';
import { chargeFault, wrongState } from '../../core/charge/refusals.ts';
import type { PayerInput } from '../../providers/adapters/contract.ts';
import { isFormToken, newBrowser } from '../pages/browser.ts';
import type { CheckoutDeps } from './deps.ts';
import { type CheckoutContext, openVisit, pathOf, type Shown, type Visit } from './context.ts';
import { guessChannel } from './guess-channel.ts';
import { methodOptionsFor } from './method-options.ts';
import { notice, problemAnswer } from './show.ts';
import { toPage } from './to-page.ts';
import { latestOf, offersRetry, retryPayment, tokenOf } from './retry.ts';
import { awaitsCard, pageStateOf } from './page-state.ts';
import { chargeOf, readSubmission, type Submission, testCardRequired } from './submission.ts';
import { showTooManyRequests, showRejection } from './rejection.ts';

/** Maximum unsuccessful charges of a payment in an hour. A payment has one open charge at a time, so a payer needs few. */
const MAX_FAILED_TRIES = 20;
/** Maximum of those charges that no provider accepted. */
const MAX_UNTAKEN_TRIES = 100;
const HOUR_MS = 3_600_000;
/** A wrong code ends the charge. Typing errors are therefore rejected before. */
const TYPED_CODE = /^[0-9A-Za-z]{3,}$/;

/** The payment and the page of a submit. */
interface Place {
  hosted: Hosted;
  visit: Visit;
}

/** A submit that is being processed. */
interface Submit {
  /** After another try, the payment that follows and its page: the answer shows these. */
  place: Place;
  /** The browser's secret, from its cookie or new. */
  browser: string;
  submission: Submission;
}

/** POST /pay/:token. Charges the payment, or assigns the page to the browser of a payer who enters the charged number. */
export function submit(context: CheckoutContext, visit: Visit, body: unknown): Promise<Shown> {
  return receive(context, visit, body, false, async ({ place, browser, submission }) => {
    const { hosted } = place;
    const { payment } = hosted;
    if (payment.retried_by !== null) return follow(context, place, browser);
    if (bindingHolderOf(hosted, browser) === 'another') {
      const typed = submission.phone ?? submission.account_number;
      const known = typeof typed === 'string' && wasCharged(context.deps.secrets, hosted.attempts, typed);
      if (openAttempt(hosted.attempts) || !known) throw otherBrowser();
      if (submission.channel === undefined) {
        await takeOver(context.deps, hosted, browser, typed);
        return null;
      }
    }
    const now = context.deps.clock.now();
    const state = pageStateOf(hosted, now).kind;
    const again = state !== 'open';
    if (again && !(await offersRetry(context, { ...visit, browser }, hosted))) {
      // Another submit may have created the following payment since this one was read.
      if ((await latestOf(context, hosted)).payment.id !== payment.id) return follow(context, place, browser);
      throw chargeFault(payment, state === 'under_way', now) ?? wrongState(payment);
    }
    limitTries(hosted, now);
    const uncharged = again ? { ...hosted, payment: unchargedOf(payment) } : hosted;
    const complete = { ...submission, channel: submission.channel ?? operatorOf(context.deps.config, uncharged, submission) };
    const charge = await wanted(context.deps, uncharged, complete, visit);
    if (!again) return chargeFrom(context.deps, hosted, browser, charge);
    const successor = await retryPayment(context.deps, hosted, browser, visit.request_id);
    if (!successor) return follow(context, place, browser);
    move(context, place, successor);
    return chargeFrom(context.deps, successor, browser, charge);
  });
}

/**
 * Answers a submit with the payment that another submit has created since.
 * @throws Problem 403 to a script in a browser that does not hold that payment: JSON would expose it, a page shows only public data
 */
async function follow(context: CheckoutContext, place: Place, browser: string): Promise<null> {
  move(context, place, await latestOf(context, place.hosted));
  if (place.visit.json && holderOf(place.hosted.payment, browser) === 'another') throw otherBrowser();
  return null;
}

/** Switches the answer of a submit to a payment that follows the payment of the page. */
function move({ deps }: CheckoutContext, place: Place, hosted: Hosted): void {
  place.hosted = hosted;
  place.visit = { ...place.visit, token: tokenOf(deps, hosted.store, hosted.payment) };
}

/** POST /pay/:token/otp. Submits the one-time code of the open charge. */
export function submitCode(context: CheckoutContext, visit: Visit, body: unknown): Promise<Shown> {
  return receive(context, visit, body, false, async ({ place: { hosted }, browser, submission }) => {
    const attempt = openAttempt(hosted.attempts);
    if (holderOf(hosted.payment, browser) === 'another') throw otherBrowser();
    if (attempt?.action?.kind !== 'otp') throw wrongState(hosted.payment);
    const code = readCode(submission.otp);
    if (!TYPED_CODE.test(code.otp)) throw malformedCode();
    return continueFrom(context.deps, hosted, browser, attempt, code, payer(visit.request_id));
  });
}

/**
 * POST /pay/:token/card, sandbox only. Takes the test card of a charge that the API started, or the answer of the
 * authentication step. Some providers return the payer here with a form of theirs: its content is ignored, and the page
 * shows the payment's status.
 */
export async function submitCard(context: CheckoutContext, visit: Visit, body: unknown): Promise<Shown> {
  if (visit.crossSite && !visit.json) return toPage(context, visit);
  return receive(context, visit, body, true, async ({ place: { hosted }, browser, submission }) => {
    const attempt = openAttempt(hosted.attempts);
    if (holderOf(hosted.payment, browser) === 'another') throw otherBrowser();
    if (!attempt || !awaitsCard(hosted)) throw wrongState(hosted.payment);
    return continueFrom(context.deps, hosted, browser, attempt, stepOf(attempt, submission), payer(visit.request_id));
  });
}

/** POST /pay/:token/cancel. Requests the cancellation of the open charge from the provider. The page then shows its status. */
export async function submitCancel(context: CheckoutContext, visit: Visit, body: unknown): Promise<Shown> {
  let waits = false;
  const answer = await receive(context, visit, body, false, async ({ place, browser }) => {
    const { hosted } = place;
    const attempt = openAttempt(hosted.attempts);
    if (holderOf(hosted.payment, browser) === 'another') throw otherBrowser();
    if (!attempt) throw wrongState(hosted.payment);
    const applied = await cancelFrom(context.deps, hosted, browser, attempt, payer(visit.request_id));
    place.hosted = { ...hosted, payment: applied.payment, attempts: applied.attempts };
    waits = openAttempt(applied.attempts)?.id === attempt.id;
    return null;
  });
  if (answer.kind === 'redirect') return waits ? { ...answer, to: `${answer.to}?note=asked` } : answer;
  if (answer.kind !== 'json' || answer.status !== 200) return answer;
  return { ...answer, body: { ...answer.body, message: 'Cancellation requested' } };
}

/** Returns the result of a charge; null when nothing was charged and the page was assigned to another browser. */
type Work = (submit: Submit) => Promise<Charged | null>;

/**
 * Runs the checks that every submit needs, then the work, and converts its outcome to an answer.
 * @param card the submit came from the card page
 */
async function receive(context: CheckoutContext, arriving: Visit, body: unknown, card: boolean, work: Work): Promise<Shown> {
  const unknown = () => (arriving.json ? problemAnswer(notFound('Payment')) : notice(arriving, 404, 'unknown'));
  // Checked before the database is read. Submits from another site are not counted: they would use up the payer's submits.
  if (!isHostedToken(context.deps, arriving.token)) return unknown();
  if (arriving.crossSite) {
    return arriving.json
      ? problemAnswer(new Problem(403, 'The request comes from another site.'))
      : notice(arriving, 403, 'refused');
  }
  const wait_s = context.submits.take(arriving.token);
  if (wait_s > 0) return showTooManyRequests(context, arriving, tooOften(wait_s), 'wait');
  const opened = await openVisit(context, arriving);
  if (!opened) return unknown();
  const { hosted, visit } = opened;
  const browser = visit.browser ?? newBrowser();
  const place = { hosted, visit };
  const answer = { ...(await answered(context, place, browser, body, card, work)), browser };
  return place.visit === visit || holderOf(place.hosted.payment, browser) !== 'this'
    ? answer
    : { ...answer, token: place.visit.token };
}

async function answered(
  context: CheckoutContext,
  place: Place,
  browser: string,
  body: unknown,
  card: boolean,
  work: Work,
): Promise<Shown> {
  const { hosted, visit } = place;
  let submission: Submission | undefined;
  try {
    submission = readSubmission(hosted.store.environment, body);
    if (!visit.jsonBody && !isFormToken(context.deps.secrets, visit.token, browser, submission.form_token)) throw staleForm();
    const charged = await work({ place, browser, submission });
    return accepted(context, place, charged);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return showRejection(context, { ...place, visit: { ...place.visit, browser } }, error, submission, card);
  }
}

/** Returns the error for a form token that is missing or belongs to another browser: the cookie is gone, or the form is not ours. */
function staleForm(): Problem {
  return new Problem(403, 'The form has expired: open the page again.', {
    errors: { form_token: ['is missing or has expired'] },
  });
}

async function wanted(deps: CheckoutDeps, hosted: Hosted, submission: Submission, { ip, request_id }: Visit): Promise<Charge> {
  const { environment } = hosted.store;
  const prompted_by = (await madeByServer(deps, hosted.payment)) ? 'page' : 'public';
  const from = { client_ip: ip, by: payer(request_id), prompted_by } as const;
  const charge = fitCharge(deps.config, hosted.payment, await instrumentOf(deps, hosted, submission), from);
  if (charge.channel.kind !== 'card' || environment === 'live') return charge;
  if (submission.card === null) throw testCardRequired();
  return { ...charge, payer: submission.card };
}

/** Returns the payment instrument that was typed, or the saved number. */
async function instrumentOf(deps: CheckoutDeps, hosted: Hosted, submission: Submission): Promise<Instrument> {
  if (submission.saved_method !== undefined) return savedInstrument(deps, hosted, submission.saved_method);
  const typed = readInstrument(hosted.store.environment, chargeOf(submission));
  return { ...typed, remember: submission.remember && (await isPayerKnown(deps, hosted.payment)) };
}

function stepOf(attempt: AttemptRow, { card, authentication }: Submission): PayerInput {
  if (attempt.payer === null) {
    if (card === null) throw testCardRequired();
    return { kind: 'card', token: card };
  }
  if (authentication !== 'approve' && authentication !== 'refuse') {
    throw invalid({ authentication: ['must be approve or refuse'] });
  }
  return { kind: 'authentication', passed: authentication === 'approve' };
}

/** Answers 202 as the API does. A browser is redirected to the page, which shows the payment's status. */
function accepted(context: CheckoutContext, { visit, hosted }: Place, charged: Charged | null): Shown {
  const path = pathOf(context, visit.token);
  if (!visit.json) return { kind: 'redirect', to: charged?.action?.kind === 'redirect' ? `${path}?go=1` : path };
  const { payment, attempts } = charged ?? hosted;
  const transaction = publicOf(retrieved(hosted.store.environment, payment, attempts));
  if (!charged) return jsonAnswer(200, 'The payment continues in this browser', { transaction });
  return jsonAnswer(202, 'Payment is processing', { action: charged.action, transaction });
}

function jsonAnswer(status: number, message: string, rest: object): Shown {
  return { kind: 'json', status, body: envelope(status, message, rest) };
}

/**
 * Limits unsuccessful charges. It counts the stored attempts, so the limit applies across all processes. Attempts that no provider
 * accepted have a higher limit: one submit makes an attempt with each account that cannot accept it, and an outage makes payers try
 * again.
 * @throws Problem 429 above a limit
 */
function limitTries({ attempts }: Hosted, now: number): void {
  const failed = attempts.filter(({ status, created_at }) => status !== 'succeeded' && created_at.getTime() > now - HOUR_MS);
  const untaken = failed.filter(({ status }) => status === 'unavailable').length;
  if (failed.length - untaken >= MAX_FAILED_TRIES || untaken >= MAX_UNTAKEN_TRIES) throw tooOften(HOUR_MS / 1000);
}

function tooOften(retry_after: number): Problem {
  const headers = { 'Retry-After': String(retry_after) };
  return new Problem(429, 'Too many submits of this payment.', { headers, extra: { retry_after } });
}

/**
 * Detects the operator of the typed number, for payers who did not choose one. Undefined when no number was typed.
 * @throws Problem 422 when the number fits several operators or no country
 */
function operatorOf({ fees }: Config, { payment }: Hosted, { phone, account_number, card }: Submission): string | undefined {
  if (typeof phone !== 'string' || account_number !== undefined || card !== null) return undefined;
  const guess = guessChannel(
    phone,
    methodOptionsFor(payment, fees).flatMap(({ channels }) => channels),
  );
  switch (guess.kind) {
    case 'found':
      return guess.channel.id;
    case 'unclear':
      throw invalid({ channel: ['is needed: the number does not tell the operator'] }, 'channel_not_supported');
    case 'none':
      throw invalid({ 'data.phone': ['is not a phone number of any country this payment can come from'] });
    default:
      return unreachable(guess);
  }
}
