import type { Config } from '../config.ts';
import { envelope } from '../kit/envelope.ts';
import { invalid, notFound, Problem } from '../kit/errors.ts';
import { type Charged, wrongState } from '../payments/charge.ts';
import {
  chargeFrom,
  continueFrom,
  elsewhere,
  type Hosted,
  holderOf,
  openAttempt,
  openHosted,
  takeOver,
  wasCharged,
} from '../payments/hosted.ts';
import { type Charge, fitCharge, readInstrument } from '../payments/instrument.ts';
import { publicOf, retrieved } from '../payments/present.ts';
import type { AttemptRow } from '../payments/schema.ts';
import type { PayerInput } from '../providers/contract.ts';
import { isFormToken, newBrowser } from './browser.ts';
import { type Answer, type Desk, pathOf, type Visit } from './desk.ts';
import { notice, problemAnswer } from './show.ts';
import { awaitsCard, standingOf } from './standing.ts';
import { chargeOf, readSubmission, type Submission, testCardRequired } from './submission.ts';
import { turnDown } from './turn-down.ts';

/** One submit on its way in. */
interface Submit {
  hosted: Hosted;
  /** The browser's secret: its cookie, or a new one. */
  browser: string;
  submission: Submission;
}

/** POST /pay/:token: charges, or hands the page to the browser of a payer who knows the charged number. */
export function submit(desk: Desk, visit: Visit, body: unknown): Promise<Answer> {
  return receive(desk, visit, body, false, async ({ hosted, browser, submission }) => {
    const { payment } = hosted;
    if (holderOf(payment, browser) === 'another') {
      const typed = submission.phone ?? submission.account_number;
      const known = typeof typed === 'string' && wasCharged(desk.deps.secrets, hosted.attempts, typed);
      if (openAttempt(hosted.attempts) || !known) throw elsewhere();
      if (submission.channel === undefined) {
        await takeOver(desk.deps, hosted, browser, typed);
        return null;
      }
    }
    if (standingOf(hosted, desk.deps.clock.now()).kind !== 'open') throw wrongState(payment);
    return chargeFrom(desk.deps, hosted, browser, wanted(desk.deps.config, hosted, submission, visit.ip));
  });
}

/** POST /pay/:token/card, sandbox only: the test card of a charge by the API, or the answer on the authentication step. */
export function submitCard(desk: Desk, visit: Visit, body: unknown): Promise<Answer> {
  return receive(desk, visit, body, true, async ({ hosted, browser, submission }) => {
    const attempt = openAttempt(hosted.attempts);
    if (holderOf(hosted.payment, browser) === 'another') throw elsewhere();
    if (!attempt || !awaitsCard(hosted)) throw wrongState(hosted.payment);
    return continueFrom(desk.deps, hosted, browser, attempt, stepOf(attempt, submission));
  });
}

/** Null: nothing was charged, the page changed hands. */
type Work = (submit: Submit) => Promise<Charged | null>;

/** Checks what every submit needs before the work, and turns its outcome into an answer. @param card on the card page */
async function receive(desk: Desk, visit: Visit, body: unknown, card: boolean, work: Work): Promise<Answer> {
  const hosted = await openHosted(desk.deps, visit.token);
  if (!hosted) return visit.json ? problemAnswer(notFound('Payment')) : notice(visit, 404, 'unknown');
  if (visit.crossSite) {
    return visit.json ? problemAnswer(new Problem(403, 'The request comes from another site.')) : notice(visit, 403, 'refused');
  }
  const wait_s = desk.submits.take(visit.token);
  if (wait_s > 0) return tooMany(desk, visit, wait_s);
  const browser = visit.browser ?? newBrowser();
  const answer = await answered(desk, visit, hosted, browser, body, card, work);
  return { ...answer, browser };
}

async function answered(
  desk: Desk,
  visit: Visit,
  hosted: Hosted,
  browser: string,
  body: unknown,
  card: boolean,
  work: Work,
): Promise<Answer> {
  let submission: Submission | undefined;
  try {
    submission = readSubmission(hosted.store.environment, body);
    if (!visit.jsonBody && !isFormToken(desk.deps.secrets, visit.token, browser, submission.form_token)) throw staleForm();
    return accepted(desk, visit, hosted, await work({ hosted, browser, submission }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return turnDown(desk, { ...visit, browser }, error, submission, card);
  }
}

/** The form's token is missing or another browser's: its cookie is gone, or the form is not ours. */
function staleForm(): Problem {
  return new Problem(403, 'The form has expired: open the page again.', {
    errors: { form_token: ['is missing or has expired'] },
  });
}

function wanted(config: Config, hosted: Hosted, submission: Submission, ip: string): Charge {
  const { environment } = hosted.store;
  const charge = fitCharge(config, hosted.payment, readInstrument(environment, chargeOf(submission)), ip);
  if (charge.channel.kind !== 'card' || environment === 'live') return charge;
  if (submission.card === null) throw testCardRequired();
  return { ...charge, payer: submission.card };
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

/** 202 as the API answers it; a browser is led to the page, which shows how the payment stands. */
function accepted(desk: Desk, visit: Visit, hosted: Hosted, charged: Charged | null): Answer {
  const path = pathOf(desk, visit.token);
  if (!visit.json) return { kind: 'redirect', to: charged?.action?.kind === 'redirect' ? `${path}?go=1` : path };
  const { payment, attempts } = charged ?? hosted;
  const transaction = publicOf(retrieved(hosted.store.environment, payment, attempts));
  if (!charged) return jsonAnswer(200, 'The payment continues in this browser', { transaction });
  return jsonAnswer(202, 'Payment is processing', { action: charged.action, transaction });
}

function jsonAnswer(status: number, message: string, rest: object): Answer {
  return { kind: 'json', status, body: envelope(status, message, rest) };
}

function tooMany(desk: Desk, visit: Visit, retry_after: number): Answer {
  const headers = { 'Retry-After': String(retry_after) };
  if (!visit.json) return { ...notice(visit, 429, 'busy', pathOf(desk, visit.token)), headers };
  return problemAnswer(new Problem(429, 'Too many submits of this payment.', { headers, extra: { retry_after } }));
}
