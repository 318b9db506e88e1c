import { renderError } from '../http/replies.ts';
import { notFound, type Problem } from '../kit/errors.ts';
import type { Html } from '../kit/html.ts';
import { type Holder, type Hosted, holderOf, openAttempt, openHosted } from '../payments/hosted.ts';
import { isReason, payerMessage } from '../providers/reasons.ts';
import { formToken, newBrowser } from './browser.ts';
import { type Answer, type Desk, type PageAnswer, pathOf, type Visit } from './desk.ts';
import { meansFor } from './means.ts';
import { messagesIn } from './messages.ts';
import { returnLink } from './return-link.ts';
import { awaitsCard, progressOf, standingOf } from './standing.ts';
import { cardPage, verifyPage } from './views/card.ts';
import type { Complaints, Typed } from './views/fields.ts';
import { formPage } from './views/form.ts';
import { type Notice, noticePage } from './views/notice.ts';
import { type FinalStatus, resultPage } from './views/result.ts';
import type { Scene } from './views/scene.ts';
import { elsewherePage, leavingPage, waitingPage } from './views/waiting.ts';

/** A submit that was turned down, shown with the page. */
export interface Turned {
  status: number;
  typed: Typed;
  complaints: Complaints;
}

/** GET /pay/:token. @param leave right after a submit: go on to the provider's page */
export async function showPage(desk: Desk, visit: Visit, leave: boolean): Promise<Answer> {
  const hosted = await openHosted(desk.deps, visit.token);
  return hosted ? pageOf(desk, visit, hosted, leave) : notice(visit, 404, 'unknown');
}

/** The page as the payment stands. @param turned what was wrong with the submit that this answers */
export async function pageOf(desk: Desk, visit: Visit, hosted: Hosted, leave = false, turned?: Turned): Promise<Answer> {
  const { payment, attempts } = hosted;
  const standing = standingOf(hosted, desk.deps.clock.now());
  const holder = holderOf(payment, visit.browser);
  if (standing.kind === 'final') return result(desk, visit, hosted, standing.status);
  if (holder === 'another') return elsewhere(desk, visit, hosted, turned);
  if (standing.kind === 'open') return form(desk, visit, hosted, turned);
  const attempt = openAttempt(attempts);
  if (awaitsCard(hosted)) return { kind: 'redirect', to: `${pathOf(desk, visit.token)}/card` };
  const scene = await waitingScene(desk, visit, hosted, holder);
  if (leave && attempt?.action?.kind === 'redirect') return page(200, leavingPage(scene, attempt.action.url));
  return page(200, waitingPage(scene, attempt));
}

/** GET /pay/:token/card, sandbox only: the card form of a charge by the API, and the authentication step. */
export async function showCard(desk: Desk, visit: Visit): Promise<Answer> {
  const hosted = await openHosted(desk.deps, visit.token);
  return hosted ? cardPageOf(desk, visit, hosted) : notice(visit, 404, 'unknown');
}

/** Whoever has nothing to do there, such as a payer coming back from a provider's card page, is sent to the page itself. */
export async function cardPageOf(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Answer> {
  const attempt = openAttempt(hosted.attempts);
  const foreign = holderOf(hosted.payment, visit.browser) === 'another';
  if (!attempt || !awaitsCard(hosted) || foreign) {
    return { kind: 'redirect', to: pathOf(desk, visit.token) };
  }
  const { browser, form_token } = formFor(desk, visit);
  const scene = {
    ...(await sceneOf(desk, visit, hosted)),
    amount_minor: attempt.amount_minor,
    form_token,
    complaints: turned?.complaints ?? {},
  };
  return page(turned?.status ?? 200, attempt.payer === null ? cardPage(scene) : verifyPage(scene), browser);
}

/** GET /pay/:token/status: what a waiting page asks every few seconds. */
export async function showStatus(desk: Desk, visit: Visit): Promise<Answer> {
  const hosted = await openHosted(desk.deps, visit.token);
  if (!hosted) return problemAnswer(notFound('Payment'));
  return { kind: 'json', status: 200, body: progressOf(hosted, desk.deps.clock.now()) };
}

/** What was thrown, as the API would say it. */
export function problemAnswer(problem: Problem): Answer {
  const { code, headers, body } = renderError(problem);
  return { kind: 'json', status: code, body, headers };
}

/** Something to say that belongs to no payment. */
export function notice(visit: Pick<Visit, 'language'>, status: number, what: Notice, back?: string): PageAnswer {
  return page(status, noticePage(visit.language, what, back));
}

function page(status: number, content: Html, browser?: string): PageAnswer {
  return { kind: 'page', status, page: content, ...(browser ? { browser } : {}) };
}

async function sceneOf(desk: Desk, visit: Visit, { store, payment }: Hosted): Promise<Scene> {
  return {
    language: visit.language,
    texts: messagesIn(visit.language),
    sandbox: store.environment === 'sandbox',
    merchant: await desk.merchantName(payment.team_id),
    payment,
    path: pathOf(desk, visit.token),
  };
}

async function waitingScene(desk: Desk, visit: Visit, hosted: Hosted, holder: Holder) {
  const { status, step, attempt } = progressOf(hosted, desk.deps.clock.now());
  return { ...(await sceneOf(desk, visit, hosted)), progress: `${status} ${step} ${attempt}`, own: holder === 'this' };
}

/** A page with a form gives the browser its cookie, which the form's token is bound to. */
function formFor(desk: Desk, visit: Visit): { browser: string; form_token: string } {
  const browser = visit.browser ?? newBrowser();
  return { browser, form_token: formToken(desk.deps.secrets, visit.token, browser) };
}

async function form(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Answer> {
  const { browser, form_token } = formFor(desk, visit);
  const { typed = {}, complaints = declineOf(visit, hosted), status = 200 } = turned ?? {};
  const means = meansFor(hosted.payment, desk.deps.config.fees);
  return page(status, formPage({ ...(await sceneOf(desk, visit, hosted)), means, form_token, typed, complaints }), browser);
}

/** Why the payer is back at the form of a payment in pieces; a payment that was to be paid in one would have failed. */
function declineOf({ language }: Visit, { attempts }: Hosted): Complaints {
  const reason = attempts.at(-1)?.reason;
  return reason && isReason(reason) ? { alert: payerMessage(reason, language) } : {};
}

async function elsewhere(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Answer> {
  const { browser, form_token } = formFor(desk, visit);
  const scene = await waitingScene(desk, visit, hosted, 'another');
  const open = openAttempt(hosted.attempts) === undefined;
  return page(turned?.status ?? 200, elsewherePage(scene, { form_token, complaint: turned?.complaints.phone, open }), browser);
}

/** 410 for a link that has ended without a payment: nothing will ever be there again. */
async function result(desk: Desk, visit: Visit, hosted: Hosted, status: FinalStatus): Promise<Answer> {
  const scene = { ...(await sceneOf(desk, visit, hosted)), status, returnTo: returnLink(hosted.payment, status) };
  return page(status === 'expired' || status === 'cancelled' ? 410 : 200, resultPage(scene));
}
