import { renderError } from '../../tenants/api/replies.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import type { Html } from '../../kit/html.ts';
import { hostedPageUrl } from '../../core/payments/page-url.ts';
import { type Holder, type Hosted, holderOf, openAttempt } from '../../core/charge/hosted.ts';
import { memoryOf } from '../../core/charge/saved.ts';
import { isReason, payerMessage } from '../../providers/adapters/reasons.ts';
import { guardOf } from '../../money/webhooks/url.ts';
import { policyWith } from '../pages/assets.ts';
import { formToken, newBrowser } from '../pages/browser.ts';
import { type Answer, type Desk, openVisit, type PageAnswer, pathOf, type Shown, type Visit } from './desk.ts';
import type { Language } from '../pages/language.ts';
import { meansFor } from './means.ts';
import { messagesIn } from '../pages/messages.ts';
import { returnLink } from './return-link.ts';
import { awaitsCard, progressOf, standingOf } from './standing.ts';
import { PLAIN, type Theme, themeOf } from '../pages/theme/theme.ts';
import { cardPage, verifyPage } from './views/card.ts';
import type { Complaints, Typed } from './views/fields.ts';
import { formPage } from './views/form.ts';
import { type Notice, noticePage } from '../pages/notice.ts';
import { type FinalStatus, resultPage } from './views/result.ts';
import type { Scene } from '../pages/scene.ts';
import { elsewherePage } from './views/elsewhere.ts';
import { leavingPage, type Waiting, waitingPage } from './views/waiting.ts';

/** A rejected submit, shown on the page. */
export interface Turned {
  status: number;
  typed: Typed;
  complaints: Complaints;
}

/**
 * GET /pay/:token.
 * @param leave right after a submit: redirect to the provider's page
 */
export async function showPage(desk: Desk, visit: Visit, leave: boolean): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? pageOf(desk, opened.visit, opened.hosted, leave) : notice(visit, 404, 'unknown');
}

/**
 * Handles `?lang=` on a page: stores the payer's choice in a cookie and redirects to the address without it.
 * @param below path of the page after the token
 */
export async function chooseLanguage(desk: Desk, visit: Visit, language: Language, below = ''): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? { kind: 'redirect', to: pathOf(desk, visit.token) + below, language } : notice(visit, 404, 'unknown');
}

/**
 * Returns the page for the payment's current status.
 * @param turned errors of the submit that this answers
 */
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

/** GET /pay/:token/card, sandbox only. Shows the card form of a charge that the API started, or the authentication step. */
export async function showCard(desk: Desk, visit: Visit): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  return opened ? cardPageOf(desk, opened.visit, opened.hosted) : notice(visit, 404, 'unknown');
}

/**
 * Returns the card page. Redirects a browser that has no card step to the payment's page, for example a payer who returns
 * from a provider's card page.
 */
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

/** GET /pay/:token/status. Polled by waiting pages every few seconds. */
export async function showStatus(desk: Desk, visit: Visit): Promise<Shown> {
  const opened = await openVisit(desk, visit);
  if (!opened) return problemAnswer(notFound('Payment'));
  return { kind: 'json', status: 200, body: progressOf(opened.hosted, desk.deps.clock.now()) };
}

/** GET /pay/:token/events. Streams the same progress when it changes. Answers 429 at the limit of streams: the page polls. */
export async function showEvents(desk: Desk, visit: Visit): Promise<Answer> {
  const opened = await openVisit(desk, visit);
  if (!opened) return problemAnswer(notFound('Payment'));
  const stream = desk.live.follow(opened.hosted);
  return stream
    ? { kind: 'stream', stream }
    : problemAnswer(new Problem(429, 'Too many pages wait for news: ask for the status.'));
}

/** GET /pay/:token/logo. Serves the merchant's logo from our origin. */
export async function showLogo(desk: Desk, visit: Visit): Promise<Answer> {
  const opened = await openVisit(desk, visit);
  const url = opened && themeOf(opened.hosted.payment.details?.theming).logo;
  const { hosted } = opened ?? {};
  const guard = hosted && guardOf(desk.deps.config, hosted.store.environment);
  const logo = url && guard ? await desk.logos.get(hosted.payment.team_id, url, guard) : null;
  return logo ? { kind: 'picture', logo } : problemAnswer(notFound());
}

/** Returns an error as the API would answer it. */
export function problemAnswer(problem: Problem): Shown {
  const { code, headers, body } = renderError(problem);
  return { kind: 'json', status: code, body, headers };
}

/**
 * Returns a page with a message that belongs to no payment.
 * @param wait_s how long `busy` lasts, in seconds
 */
export function notice(
  { language }: Pick<Visit, 'language'>,
  status: number,
  what: Notice,
  back?: string,
  wait_s?: number,
): PageAnswer {
  return page(status, noticePage(language, what, back, wait_s), { language, theme: PLAIN });
}

/**
 * Wraps content as an answer with the theme's Content-Security-Policy.
 * @param browser the secret for the browser's cookie, on pages with a form
 */
export function page(status: number, content: Html, scene: { language: Language; theme: Theme }, browser?: string): PageAnswer {
  const { language, theme } = scene;
  const headers = { 'Content-Security-Policy': policyWith(theme.style) };
  return { kind: 'page', status, page: content, language, headers, ...(browser ? { browser } : {}) };
}

/** Returns the data that every page of a payment needs. */
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

/** Returns the browser's secret, new if it has none, and the CSRF token of a form, which is bound to that secret. */
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

/** Why the payer is back at the form of a payment in tranches. A payment in one charge would have failed instead. */
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

/** Returns the result page. A link that ended without a payment answers 410 Gone. */
async function result(desk: Desk, visit: Visit, hosted: Hosted, status: FinalStatus): Promise<Shown> {
  const scene = { ...(await sceneOf(desk, visit, hosted)), status, returnTo: returnLink(hosted.payment, status) };
  return page(status === 'expired' || status === 'cancelled' ? 410 : 200, resultPage(scene), scene);
}
