import { renderError } from '../../tenants/api/replies.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import type { Html } from '../../kit/html.ts';
import { unchargedOf } from '../../core/payments/retry.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import { isFinal } from '../../core/payments/states.ts';
import { hostedPageUrl } from '../../core/payments/token.ts';
import { bindingHolderOf, type Holder, type Hosted, holderOf, openAttempt, openHosted } from '../../core/charge/hosted.ts';
import { savedPayerOf } from '../../core/charge/saved.ts';
import { exceeds } from '../../core/charge/steps.ts';
import { isCancellable } from '../../core/charge/poll.ts';
import { isReason } from '../../providers/adapters/reasons.ts';
import { guardOf } from '../../money/webhooks/url.ts';
import { invoiceOf } from '../invoices/retry.ts';
import { policyWith } from '../pages/assets.ts';
import { formToken, newBrowser } from '../pages/browser.ts';
import { type Answer, type CheckoutContext, openVisit, type PageAnswer, pathOf, type Shown, type Visit } from './context.ts';
import { type Language, textsIn } from '../pages/language.ts';
import { methodOptionsFor } from './method-options.ts';
import { latestOf, offersRetry, tokenOf } from './retry.ts';
import { returnLink } from './return-link.ts';
import { awaitsCard, isHeld, progressOf, pageStateOf } from './page-state.ts';
import { PLAIN, type Theme, themeOf } from '../pages/theme/theme.ts';
import { cardPage, verifyPage } from './views/card.ts';
import type { FieldErrors, Typed } from './views/fields.ts';
import { type Failure, formPage } from './views/form.ts';
import { type Notice, noticePage } from '../pages/notice.ts';
import { isDoubted } from '../../core/attempts/schema.ts';
import { hasUnmatchedMoney } from '../../core/payments/retry.ts';
import { type FinalStatus, resultPage } from './views/result.ts';
import type { Scene } from '../pages/scene.ts';
import { elsewherePage } from './views/elsewhere.ts';
import { leavingPage, type Waiting, waitingPage } from './views/waiting.ts';

/** A rejected submit, shown on the page. */
export interface Rejection {
  status: number;
  typed: Typed;
  fieldErrors: FieldErrors;
}

/**
 * GET /pay/:token.
 * @param leave right after a submit: redirect to the provider's page
 */
export async function showPage(context: CheckoutContext, visit: Visit, leave: boolean): Promise<Shown> {
  const opened = await openVisit(context, visit);
  return opened ? pageOf(context, opened.visit, opened.hosted, leave) : notice(visit, 404, 'unknown');
}

/**
 * Handles `?lang=` on a page: stores the payer's choice in a cookie and redirects to the address without it.
 * @param below path of the page after the token
 */
export async function chooseLanguage(context: CheckoutContext, visit: Visit, language: Language, below = ''): Promise<Shown> {
  const opened = await openVisit(context, visit);
  return opened ? { kind: 'redirect', to: pathOf(context, visit.token) + below, language } : notice(visit, 404, 'unknown');
}

/**
 * Returns the page for the payment's current status.
 * @param turned errors of the submit that this answers
 */
export async function pageOf(
  context: CheckoutContext,
  visit: Visit,
  hosted: Hosted,
  leave = false,
  rejection?: Rejection,
): Promise<Shown> {
  const { payment, attempts } = hosted;
  if (payment.retried_by !== null) return toLatest(context, visit, hosted);
  const now = context.deps.clock.now();
  const pageState = pageStateOf(hosted, now);
  const holder = bindingHolderOf(hosted, visit.browser);
  if (pageState.kind === 'final') {
    const again = await offersRetry(context, visit, hosted);
    return again ? form(context, visit, hosted, rejection) : result(context, visit, hosted, pageState.status);
  }
  if (holder === 'another') return elsewhere(context, visit, hosted, rejection);
  if (pageState.kind === 'open' && !(await isHeld(hosted, now))) return form(context, visit, hosted, rejection);
  const open = openAttempt(attempts);
  // A step that would pay more than is owed is not offered: the payer waits for the end of that charge.
  const attempt = open && !exceeds(payment, open) ? open : undefined;
  if (attempt && awaitsCard(hosted)) return { kind: 'redirect', to: `${pathOf(context, visit.token)}/card` };
  const { browser, ...scene } = await waitingScene(context, visit, hosted, holder, rejection);
  if (leave && attempt?.action?.kind === 'redirect') return page(200, leavingPage(scene, attempt.action.url), scene);
  // Only a form needs the browser's cookie.
  const hasForm = attempt?.action?.kind === 'otp' || scene.cancellable;
  return page(rejection?.status ?? 200, waitingPage(scene, attempt), scene, hasForm ? browser : undefined);
}

/** GET /pay/:token/card, sandbox only. Shows the card form of a charge that the API started, or the authentication step. */
export async function showCard(context: CheckoutContext, visit: Visit): Promise<Shown> {
  const opened = await openVisit(context, visit);
  return opened ? cardPageOf(context, opened.visit, opened.hosted) : notice(visit, 404, 'unknown');
}

/**
 * Returns the card page. Redirects a browser that has no card step to the payment's page, for example a payer who returns
 * from a provider's card page.
 */
export async function cardPageOf(context: CheckoutContext, visit: Visit, hosted: Hosted, rejection?: Rejection): Promise<Shown> {
  const attempt = openAttempt(hosted.attempts);
  const foreign = holderOf(hosted.payment, visit.browser) === 'another';
  if (!attempt || !awaitsCard(hosted) || foreign) {
    return { kind: 'redirect', to: pathOf(context, visit.token) };
  }
  const { browser, form_token } = formFor(context, visit);
  const scene = {
    ...(await sceneOf(context, visit, hosted)),
    amount_minor: attempt.amount_minor,
    form_token,
    fieldErrors: rejection?.fieldErrors ?? {},
  };
  return page(rejection?.status ?? 200, attempt.payer === null ? cardPage(scene) : verifyPage(scene), scene, browser);
}

/** GET /pay/:token/status. Polled by waiting pages every few seconds. */
export async function showStatus(context: CheckoutContext, visit: Visit): Promise<Shown> {
  const hosted = await openHosted(context.deps, visit.token);
  if (!hosted) return problemAnswer(notFound('Payment'));
  const now = context.deps.clock.now();
  return { kind: 'json', status: 200, body: progressOf(hosted, await isHeld(hosted, now), now) };
}

/** GET /pay/:token/events. Streams the same progress when it changes. Answers 429 at the limit of streams: the page polls. */
export async function showEvents(context: CheckoutContext, visit: Visit): Promise<Answer> {
  const hosted = await openHosted(context.deps, visit.token);
  if (!hosted) return problemAnswer(notFound('Payment'));
  const stream = context.live.follow(hosted, await isHeld(hosted, context.deps.clock.now()));
  return stream
    ? { kind: 'stream', stream }
    : problemAnswer(new Problem(429, 'Too many pages wait for news: ask for the status.'));
}

/** GET /pay/:token/logo. Serves the merchant's logo from our origin. */
export async function showLogo(context: CheckoutContext, visit: Visit): Promise<Answer> {
  const hosted = await openHosted(context.deps, visit.token);
  const url = hosted && themeOf(hosted.payment.details?.theming).logo;
  const guard = hosted && guardOf(context.deps.config, hosted.store.environment);
  const logo = url && guard ? await context.logos.get(hosted.payment.team_id, url, guard) : null;
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
  const headers = { 'Content-Security-Policy': policyWith(theme.style, content) };
  return { kind: 'page', status, page: content, language, headers, ...(browser ? { browser } : {}) };
}

/** Returns the data that every page of a payment needs. */
export async function sceneOf(context: CheckoutContext, visit: Visit, { store, payment }: Hosted): Promise<Scene> {
  const merchant = await context.merchant(payment.team_id);
  return {
    language: visit.language,
    texts: textsIn(visit.language).checkout,
    sandbox: store.environment === 'sandbox',
    merchant: merchant.name,
    payment,
    path: pathOf(context, visit.token),
    theme: themeOf(payment.details?.theming, merchant),
  };
}

type WaitingScene = Waiting & { browser: string };

async function waitingScene(
  context: CheckoutContext,
  visit: Visit,
  hosted: Hosted,
  holder: Holder,
  rejection?: Rejection,
): Promise<WaitingScene> {
  const now = context.deps.clock.now();
  const { status, step, attempt } = progressOf(hosted, await isHeld(hosted, now), now);
  const open = openAttempt(hosted.attempts);
  return {
    ...(await sceneOf(context, visit, hosted)),
    ...formFor(context, visit),
    progress: `${status} ${step} ${attempt}`,
    own: holder === 'this',
    cancellable: open !== undefined && holder !== 'another' && (await isCancellable(context.deps, hosted.store, open)),
    note: visit.note,
    now,
    fieldError: rejection?.fieldErrors.otp,
  };
}

/** Returns the browser's secret, new if it has none, and the CSRF token of a form, which is bound to that secret. */
function formFor(context: CheckoutContext, visit: Visit): { browser: string; form_token: string } {
  const browser = visit.browser ?? newBrowser();
  return { browser, form_token: formToken(context.deps.secrets, visit.token, browser) };
}

/** Redirects from a payment that was tried again to the page of the following one. The browser that holds that page keeps its cookie. */
async function toLatest(context: CheckoutContext, visit: Visit, hosted: Hosted): Promise<Shown> {
  const latest = await latestOf(context, hosted);
  const token = tokenOf(context.deps, latest.store, latest.payment);
  const kept =
    visit.browser !== null && holderOf(latest.payment, visit.browser) === 'this' ? { browser: visit.browser, token } : {};
  return { kind: 'redirect', to: pathOf(context, token), ...kept };
}

/** Returns the form. On the page of a failed payment it also states what happened, and a submit creates the following payment. */
async function form(context: CheckoutContext, visit: Visit, shown: Hosted, rejection?: Rejection): Promise<Shown> {
  const { browser, form_token } = formFor(context, visit);
  const failed = isFinal(shown.payment.status) ? failureOf(visit, shown.payment) : null;
  const hosted = failed ? { ...shown, payment: unchargedOf(shown.payment) } : shown;
  const { typed = {}, fieldErrors = failed ? {} : declineOf(visit, hosted), status = 200 } = rejection ?? {};
  const means = methodOptionsFor(hosted.payment, context.deps.config.fees);
  const memory = await savedPayerOf(context.deps, hosted);
  const { store, payment } = hosted;
  const address =
    visit.desktop && payment.claim === null ? hostedPageUrl(context.deps, store, payment.team_id, payment.id) : null;
  const filled = { typed, fieldErrors, phone: phoneShown(visit, payment) };
  const scene = { ...(await sceneOf(context, visit, hosted)), means, ...memory, form_token, address, ...filled, failed };
  return page(status, formPage(scene), scene, browser);
}

/**
 * Returns the number with which the form is filled in; null for an invoice, whose address may be passed on and whose number is that of
 * the customer's profile, and in another browser than the one that began the payment.
 */
function phoneShown({ browser }: Visit, payment: PaymentRow): string | null {
  return invoiceOf(payment) || holderOf(payment, browser) === 'another' ? null : payment.phone;
}

/** Returns why the payer is back at the form of a payment in tranches. A payment in one charge would have failed instead. */
function declineOf({ language }: Visit, { attempts }: Hosted): FieldErrors {
  const reason = attempts.at(-1)?.reason;
  return reason && isReason(reason) ? { alert: textsIn(language).reasons[reason] } : {};
}

/** Returns the notice above the form of a failed payment, and the link back to the merchant. */
function failureOf({ language }: Visit, payment: PaymentRow): Failure {
  const { checkout, reasons } = textsIn(language);
  const { status, reason } = payment;
  return {
    title: status === 'cancelled' ? checkout.cancelledTitle : checkout.failedTitle,
    reason: reasons[reason !== null && isReason(reason) ? reason : 'unknown'],
    returnTo: returnLink(payment, status),
  };
}

async function elsewhere(context: CheckoutContext, visit: Visit, hosted: Hosted, rejection?: Rejection): Promise<Shown> {
  const { browser, form_token, ...scene } = await waitingScene(context, visit, hosted, 'another');
  // The failure of a failed payment is being confirmed, so the payer cannot continue it.
  const open = openAttempt(hosted.attempts) === undefined && !isFinal(hosted.payment.status);
  const takeOver = { form_token, fieldError: rejection?.fieldErrors.phone, open };
  return page(rejection?.status ?? 200, elsewherePage(scene, takeOver), scene, browser);
}

/** Returns the result page. A link that ended without a payment answers 410 Gone. */
async function result(context: CheckoutContext, visit: Visit, hosted: Hosted, status: FinalStatus): Promise<Shown> {
  const { store, payment, attempts } = hosted;
  // A charge that has ended may have taken money as long as its provider is asked about it.
  const unmatched = isUnpaid(status) && (attempts.some(isDoubted) || (await hasUnmatchedMoney(store.db, attempts)));
  const scene = { ...(await sceneOf(context, visit, hosted)), status, unmatched, returnTo: returnLink(payment, status) };
  return page(status === 'expired' || status === 'cancelled' ? 410 : 200, resultPage(scene), scene);
}

function isUnpaid(status: FinalStatus): boolean {
  return status === 'failed' || status === 'cancelled' || status === 'expired';
}
