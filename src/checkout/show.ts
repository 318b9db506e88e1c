import { renderError } from '../http/replies.ts';
import { notFound, Problem } from '../kit/errors.ts';
import type { Html } from '../kit/html.ts';
import { hostedPageUrl } from '../payments/collection.ts';
import { type Holder, type Hosted, holderOf, openAttempt } from '../payments/hosted.ts';
import { memoryOf } from '../payments/saved.ts';
import { isReason, payerMessage } from '../providers/reasons.ts';
import { guardOf } from '../webhooks/url.ts';
import { policyWith } from './assets.ts';
import { formToken, newBrowser } from './browser.ts';
import { type Answer, type Desk, openVisit, type PageAnswer, pathOf, type Shown, type Visit } from './desk.ts';
import type { Language } from './language.ts';
import { meansFor } from './means.ts';
import { messagesIn } from './messages.ts';
import { returnLink } from './return-link.ts';
import { awaitsCard, progressOf, standingOf } from './standing.ts';
import { PLAIN, type Theme, themeOf } from './theme/theme.ts';
import { cardPage, verifyPage } from './views/card.ts';
import type { Complaints, Typed } from './views/fields.ts';
import { formPage } from './views/form.ts';
import { type Notice, noticePage } from './views/notice.ts';
import { type FinalStatus, resultPage } from './views/result.ts';
import type { Scene } from './views/scene.ts';
import { elsewherePage } from './views/elsewhere.ts';
import { leavingPage, type Waiting, waitingPage } from './views/waiting.ts';

/** A submit that was turned down, shown with the page. */
export interface Turned {
  status: number;
  typed: Typed;
  complaints: Complaints;
}

/** GET /pay/:token. @param leave right after a submit: go on to the provider's page */
export async function showPage(desk: Desk, visit: Visit, leave: boolean): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? pageOf(desk, opened.visit, opened.hosted, leave) : notice(visit, 404, 'unknown');
}

/** `?lang=` on a page: remembers the payer's choice, and leads to the address without it. @param below the page's own, after the token */
export async function chooseLanguage(desk: Desk, visit: Visit, language: Language, below = ''): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? { kind: 'redirect', to: pathOf(desk, visit.token) + below, language } : notice(visit, 404, 'unknown');
}

/** The page as the payment stands. @param turned what was wrong with the submit that this answers */
export async function pageOf(desk: Desk, visit: Visit, hosted: Hosted, leave = false, turned?: Turned): Promise<Shown> {
  const { payment, attempts } = hosted;
  const standing = standingOf(hosted, desk.deps.clock.now());
  const holder = holderOf(payment, visit.browser);
  if (standing.kind === 'final') return result(desk, visit, hosted, standing.status);
  if (holder === 'another') return elsewhere(desk, visit, hosted, turned);
  if (standing.kind === 'open') return form(desk, visit, hosted, turned);
  const attempt = openAttempt(attempts);
  if (awaitsCard(hosted)) return { kind: 'redirect', to: `${pathOf(desk, visit.token)}/card` };
  const { browser, ...scene } = await waitingScene(desk, visit, hosted, holder, turned);
  if (leave && attempt?.action?.kind === 'redirect') return page(200, leavingPage(scene, attempt.action.url), scene);
  // Only the form of a one-time code needs the browser's cookie.
  return page(turned?.status ?? 200, waitingPage(scene, attempt), scene, attempt?.action?.kind === 'otp' ? browser : undefined);
}

/** GET /pay/:token/card, sandbox only: the card form of a charge by the API, and the authentication step. */
export async function showCard(desk: Desk, visit: Visit): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? cardPageOf(desk, opened.visit, opened.hosted) : notice(visit, 404, 'unknown');
}

/** Whoever has nothing to do there, such as a payer coming back from a provider's card page, is sent to the page itself. */
export async function cardPageOf(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Shown> {
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
  return page(turned?.status ?? 200, attempt.payer === null ? cardPage(scene) : verifyPage(scene), scene, browser);
}

/** GET /pay/:token/status: what a waiting page asks every few seconds. */
export async function showStatus(desk: Desk, visit: Visit): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  if (!opened) return problemAnswer(notFound('Payment'));
  return { kind: 'json', status: 200, body: progressOf(opened.hosted, desk.deps.clock.now()) };
}

/** GET /pay/:token/events: the same, said when it changes. 429: the page asks instead. */
export async function showEvents(desk: Desk, visit: Visit): Promise<Answer> {
  const opened = await openVisit(desk, visit);
  if (!opened) return problemAnswer(notFound('Payment'));
  const stream = desk.live.follow(opened.hosted);
  return stream
    ? { kind: 'stream', stream }
    : problemAnswer(new Problem(429, 'Too many pages wait for news: ask for the status.'));
}

/** GET /pay/:token/logo: the merchant's, from us. */
export async function showLogo(desk: Desk, visit: Visit): Promise<Answer> {
  const opened = await openVisit(desk, visit);
  const url = opened && themeOf(opened.hosted.payment.details?.theming).logo;
  const { hosted } = opened ?? {};
  const guard = hosted && guardOf(desk.deps.config, hosted.store.environment);
  const logo = url && guard ? await desk.logos.get(hosted.payment.team_id, url, guard) : null;
  return logo ? { kind: 'picture', logo } : problemAnswer(notFound());
}

/** What was thrown, as the API would say it. */
export function problemAnswer(problem: Problem): Shown {
  const { code, headers, body } = renderError(problem);
  return { kind: 'json', status: code, body, headers };
}

/** Something to say that belongs to no payment. @param wait_s how long `busy` lasts */
export function notice(
  { language }: Pick<Visit, 'language'>,
  status: number,
  what: Notice,
  back?: string,
  wait_s?: number,
): PageAnswer {
  return page(status, noticePage(language, what, back, wait_s), { language, theme: PLAIN });
}

/** @param browser the secret for the browser's cookie, on pages with a form */
export function page(status: number, content: Html, scene: { language: Language; theme: Theme }, browser?: string): PageAnswer {
  const { language, theme } = scene;
  const headers = { 'Content-Security-Policy': policyWith(theme.style) };
  return { kind: 'page', status, page: content, language, headers, ...(browser ? { browser } : {}) };
}

/** What every page of a payment shows or needs. */
export async function sceneOf(desk: Desk, visit: Visit, { store, payment }: Hosted): Promise<Scene> {
  return {
    language: visit.language,
    texts: messagesIn(visit.language),
    sandbox: store.environment === 'sandbox',
    merchant: await desk.merchantName(payment.team_id),
    payment,
    path: pathOf(desk, visit.token),
    theme: themeOf(payment.details?.theming),
  };
}

type WaitingScene = Waiting & { browser: string };

async function waitingScene(desk: Desk, visit: Visit, hosted: Hosted, holder: Holder, turned?: Turned): Promise<WaitingScene> {
  const now = desk.deps.clock.now();
  const { status, step, attempt } = progressOf(hosted, now);
  return {
    ...(await sceneOf(desk, visit, hosted)),
    ...formFor(desk, visit),
    progress: `${status} ${step} ${attempt}`,
    own: holder === 'this',
    now,
    complaint: turned?.complaints.otp,
  };
}

/** A page with a form gives the browser its cookie, which the form's token is bound to. */
function formFor(desk: Desk, visit: Visit): { browser: string; form_token: string } {
  const browser = visit.browser ?? newBrowser();
  return { browser, form_token: formToken(desk.deps.secrets, visit.token, browser) };
}

async function form(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Shown> {
  const { browser, form_token } = formFor(desk, visit);
  const { typed = {}, complaints = declineOf(visit, hosted), status = 200 } = turned ?? {};
  const means = meansFor(hosted.payment, desk.deps.config.fees);
  const memory = await memoryOf(desk.deps, hosted);
  const { store, payment } = hosted;
  const address = visit.desktop && payment.claim === null ? hostedPageUrl(desk.deps, store, payment.team_id, payment.id) : null;
  const scene = { ...(await sceneOf(desk, visit, hosted)), means, ...memory, form_token, address, typed, complaints };
  return page(status, formPage(scene), scene, browser);
}

/** Why the payer is back at the form of a payment in pieces; a payment that was to be paid in one would have failed. */
function declineOf({ language }: Visit, { attempts }: Hosted): Complaints {
  const reason = attempts.at(-1)?.reason;
  return reason && isReason(reason) ? { alert: payerMessage(reason, language) } : {};
}

async function elsewhere(desk: Desk, visit: Visit, hosted: Hosted, turned?: Turned): Promise<Shown> {
  const { browser, form_token, ...scene } = await waitingScene(desk, visit, hosted, 'another');
  const open = openAttempt(hosted.attempts) === undefined;
  const takeOver = { form_token, complaint: turned?.complaints.phone, open };
  return page(turned?.status ?? 200, elsewherePage(scene, takeOver), scene, browser);
}

/** 410 for a link that has ended without a payment: nothing will ever be there again. */
async function result(desk: Desk, visit: Visit, hosted: Hosted, status: FinalStatus): Promise<Shown> {
  const scene = { ...(await sceneOf(desk, visit, hosted)), status, returnTo: returnLink(hosted.payment, status) };
  return page(status === 'expired' || status === 'cancelled' ? 410 : 200, resultPage(scene), scene);
}
