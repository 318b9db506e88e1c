import { policyWith } from '../pages/assets.ts';
import { formToken, isFormToken } from '../pages/browser.ts';
import { type Language, payerLanguage, textsIn } from '../pages/language.ts';
import { themeOf } from '../pages/theme/theme.ts';
import { noticePage } from '../pages/notice.ts';
import { plainAddress, subscriberOf } from '../../kit/address-list.ts';
import { randomBase62 } from '../../kit/crypto.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Html } from '../../kit/html.ts';
import { canonicalJson } from '../../kit/json.ts';
import { Throttle } from '../../kit/throttle.ts';
import type { LinkDeps } from './deps.ts';
import { type FieldErrors, readPayer, type Typed, typedIn } from './form.ts';
import type { Closed } from '../pages/texts/link.ts';
import { linkStanding, type OpenedLink, openLink, payLink } from './pay.ts';
import { readLinkToken } from './token.ts';
import { closedPage, linkPage } from './view.ts';

/** Maximum requests for one link's page from one IP address in a minute. Submits without a valid form token count too. */
const READS_FROM_ONE_ADDRESS = 300;
/**
 * Maximum submits of one link from one IP address in a minute. It is not low, because whole mobile networks share a few
 * addresses.
 */
const FROM_ONE_ADDRESS = 20;
/** Maximum submits of one link in a minute, from all addresses: each creates a payment. */
const OF_ONE_LINK = 120;

/** One request for a link's page, without types of the web framework. */
export interface LinkVisit {
  token: string;
  /** The payer's choice on the page, else the merchant's for this link, else by team and browser. */
  language: Language;
  /** The payer's choice, which is passed on to the hosted page. */
  chosen: Language | null;
  /** The Accept-Language header. */
  accepts: string | undefined;
  /** The secret in the browser's cookie, or a new one. */
  browser: string;
  /** Whether the browser sent a valid secret. */
  known: boolean;
  crossSite: boolean;
  ip: string;
  request_id: string;
}

export type LinkAnswer =
  | { to: string }
  | {
      status: number;
      page: Html;
      language: Language;
      headers?: Record<string, string>;
      /** The page has a form, which needs the browser's cookie. */
      form?: true;
    };

/** State and services that all requests for link pages share. */
export interface LinkPageContext {
  deps: LinkDeps;
  reads: Throttle;
  fromAddress: Throttle;
  ofLink: Throttle;
  /** Path prefix before /l, for an installation that is not at the root of its host. */
  base: string;
}

/** Creates the shared state of the link pages. */
export function openLinkPages(deps: LinkDeps): LinkPageContext {
  return {
    deps,
    reads: new Throttle(deps.clock, READS_FROM_ONE_ADDRESS),
    fromAddress: new Throttle(deps.clock, FROM_ONE_ADDRESS),
    ofLink: new Throttle(deps.clock, OF_ONE_LINK),
    base: new URL(deps.config.public_url).pathname.replace(/\/$/, ''),
  };
}

/** GET /l/:token. Shows the form, or the reason why the link accepts no payment. */
export async function showLink(context: LinkPageContext, arriving: LinkVisit): Promise<LinkAnswer> {
  const busy = rejectReader(context, arriving);
  if (busy) return busy;
  const opened = await openLink(context.deps, arriving.token);
  const visit = spoken(arriving, opened);
  const why = whyClosed(context, opened);
  return why ? closed(visit, why, opened) : form(context, visit, opened as OpenedLink, 200);
}

/** POST /l/:token. Creates the payment and redirects to its hosted page. */
export async function submitLink(context: LinkPageContext, arriving: LinkVisit, body: unknown): Promise<LinkAnswer> {
  const { deps } = context;
  const nonce = nonceOf(context, arriving, body);
  const busy = nonce ? null : rejectReader(context, arriving);
  if (busy) return busy;
  const opened = await openLink(deps, arriving.token);
  const visit = spoken(arriving, opened);
  const { language } = visit;
  if (!opened) return closed(visit, 'unknown', null);
  if (visit.crossSite) return { status: 403, page: noticePage(language, 'refused'), language };
  const texts = textsIn(language).link;
  const typed = typedIn(opened.link, body);
  if (!nonce) return form(context, visit, opened, 403, typed, { alert: texts.errors.form });
  // Counted only when the form token is valid, because anonymous posts must not block the link for its payers.
  const wait_s = context.fromAddress.take(senderOf(visit)) || context.ofLink.take(visit.token);
  if (wait_s > 0) {
    const full = form(context, visit, opened, 429, typed, { alert: texts.busy });
    return { ...full, headers: { ...full.headers, 'Retry-After': String(wait_s) } };
  }
  const payer = readPayer(opened.link, typed, texts);
  if ('fieldErrors' in payer) return form(context, visit, opened, 422, typed, payer.fieldErrors);
  // The same form sent twice is one payment. A form that was edited before it was sent again is another payment.
  const once = deps.secrets.mac('link-submit', canonicalJson([visit.token, visit.browser, nonce, typed]));
  try {
    const outcome = await payLink(deps, opened, { payer, once, request_id: visit.request_id });
    if (outcome === 'repriced') {
      const now = must(await openLink(deps, visit.token), 'links are never deleted');
      return form(context, visit, now, 409, typed, { alert: texts.errors.repriced });
    }
    return typeof outcome === 'string' ? closed(visit, outcome, opened) : { to: withLanguage(outcome.url, visit) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    if (error.status === 402) return closed(visit, 'unverified', opened);
    const { error_code } = error.details;
    const fieldErrors = { alert: error_code === 'ceiling_exceeded' ? texts.errors.ceiling : texts.errors.refused };
    return form(context, visit, opened, 422, typed, fieldErrors);
  }
}

/** Limits requests with a valid token, before the database is read. Returns the answer 429, or null when allowed. */
function rejectReader({ deps, reads }: LinkPageContext, visit: LinkVisit): LinkAnswer | null {
  const wait_s = readLinkToken(deps.secrets, visit.token) ? reads.take(senderOf(visit)) : 0;
  if (wait_s === 0) return null;
  const language = visit.chosen ?? visit.language;
  return { status: 429, page: noticePage(language, 'wait'), language, headers: { 'Retry-After': String(wait_s) } };
}

/** Returns the key of the rate limit: one link and one subscriber. A whole /64 of IPv6 counts as one subscriber. */
function senderOf({ token, ip }: LinkVisit): string {
  return `${token} ${subscriberOf(plainAddress(ip) ?? ip)}`;
}

function spoken(visit: LinkVisit, opened: OpenedLink | null): LinkVisit {
  if (!opened) return { ...visit, language: visit.chosen ?? visit.language };
  const merchants = themeOf(opened.link.theming).locale ?? payerLanguage(visit.accepts, opened.team);
  return { ...visit, language: visit.chosen ?? merchants };
}

/** The hosted page stores the language in a cookie and redirects to its URL without the parameter. */
function withLanguage(address: string, { chosen }: LinkVisit): string {
  return chosen === null ? address : `${address}?lang=${chosen}`;
}

function whyClosed({ deps }: LinkPageContext, opened: OpenedLink | null): Closed | null {
  if (!opened) return 'unknown';
  const standing = linkStanding(opened.link, deps.clock.now());
  if (standing !== 'open') return standing;
  return opened.team.verification_level === 0 ? 'unverified' : null;
}

/** Status of each closed state. 410 Gone: the link will not open again by itself. 409: try later. 402: the same as in the API. */
const STATUS: Record<Closed, number> = { inactive: 410, expired: 410, used: 410, full: 409, unverified: 402, unknown: 404 };

function closed({ language }: LinkVisit, why: Closed, opened: OpenedLink | null): LinkAnswer {
  const about = opened && { title: opened.link.title, merchant: opened.team.name };
  return { status: STATUS[why], page: closedPage(language, why, about), language };
}

function form(
  context: LinkPageContext,
  visit: LinkVisit,
  { link, team }: OpenedLink,
  status: number,
  typed: Typed = {},
  fieldErrors: FieldErrors = {},
): Extract<LinkAnswer, { page: Html }> {
  const nonce = randomBase62(22);
  const { language } = visit;
  const theme = themeOf(link.theming, team);
  const path = `${context.base}/l/${visit.token}`;
  const action = withLanguage(path, visit);
  const form_token = formToken(context.deps.secrets, subjectOf(visit, nonce), visit.browser);
  const scene = { language, theme, merchant: team.name, link, path, action, form_token, nonce, typed, fieldErrors };
  const headers = { 'Content-Security-Policy': policyWith(theme.style) };
  return { status, page: linkPage(scene), language, headers, form: true };
}

/** Returns the form's nonce; null unless this browser received it for this link. */
function nonceOf({ deps }: LinkPageContext, visit: LinkVisit, body: unknown): string | null {
  const { nonce, form_token } = (body ?? {}) as Record<string, unknown>;
  if (typeof nonce !== 'string' || !/^[0-9A-Za-z]{22}$/.test(nonce)) return null;
  return isFormToken(deps.secrets, subjectOf(visit, nonce), visit.browser, form_token) ? nonce : null;
}

function subjectOf({ token }: LinkVisit, nonce: string): string {
  return `link|${token}|${nonce}`;
}
