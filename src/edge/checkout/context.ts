import type { Readable } from 'node:stream';
import { send } from '../../kit/fetch.ts';
import type { Html } from '../../kit/html.ts';
import { Throttle } from '../../kit/throttle.ts';
import { Remembered } from '../../kit/remembered.ts';
import { type Hosted, isHostedToken, type Merchant, merchantOf, openHosted } from '../../core/charge/hosted.ts';
import { type Language, payerLanguage } from '../pages/language.ts';
import { Printer } from '../receipts/printer.ts';
import type { CheckoutDeps } from './deps.ts';
import { Live } from './live.ts';
import { type Logo, Logos } from '../pages/theme/logos.ts';
import { themeOf } from '../pages/theme/theme.ts';

/** Maximum submits of one page in a minute. A payer needs a few; guessing numbers would take thousands. */
const SUBMITS_A_MINUTE = 30;
/**
 * Maximum requests for one payment's pages in a minute. A page open in several tabs that polls every few seconds uses a
 * fraction of them.
 */
const READS_A_MINUTE = 300;
/** Maximum PDFs of one receipt in a minute. Each is generated anew. */
const PRINTS_A_MINUTE = 10;
/** How long a merchant's name, colour and language are cached. A change appears after this time at the latest. */
const MERCHANT_MS = 800;
const MAX_MERCHANTS = 10_000;

/** One request for a page, without types of the web framework. */
export interface Visit {
  token: string;
  /** Before the payment is read: the payer's choice on the page, else the one that suits the browser. */
  language: Language;
  /** The payer chose the language on the page. That choice takes precedence over the merchant's. */
  chosen: boolean;
  /** The Accept-Language header. */
  accepts: string | undefined;
  /** The secret in the browser's cookie; null when there is no valid cookie. */
  browser: string | null;
  /** `ask`: without a script, to read what a payer in doubt can do. `asked`: a cancellation was requested. */
  note: 'ask' | 'asked' | null;
  /** The client accepts JSON. */
  json: boolean;
  /** The body was sent as JSON, which another site's page cannot send without a CORS preflight. */
  jsonBody: boolean;
  /** Whether another site's page made the browser send the request. */
  crossSite: boolean;
  /** Desktop user agent that accepts Brotli: the page has room for a QR code. */
  desktop: boolean;
  ip: string;
  request_id: string;
}

export interface PageAnswer {
  kind: 'page';
  status: number;
  page: Html;
  language: Language;
  headers?: Record<string, string>;
  /** The secret to set in the browser's cookie. */
  browser?: string;
  /** The page whose cookie it is, when another payment follows that of the visit. */
  token?: string;
}

/** Answer to a page view or a submit. */
export type Shown =
  | PageAnswer
  | { kind: 'json'; status: number; body: object; headers?: Record<string, string>; browser?: string; token?: string }
  | { kind: 'redirect'; to: string; browser?: string; language?: Language; token?: string };

/** Any answer of the payment pages. */
export type Answer =
  | Shown
  | { kind: 'picture'; logo: Logo }
  | { kind: 'stream'; stream: Readable }
  | { kind: 'pdf'; name: string; bytes: Uint8Array };

/** State and services that all requests for payment pages share. */
export interface CheckoutContext {
  deps: CheckoutDeps;
  /** Keyed by token, not by IP address: whole mobile networks share a few addresses. */
  submits: Throttle;
  reads: Throttle;
  live: Live;
  /** Keyed by token: a payer prints a receipt a few times. */
  prints: Throttle;
  printer: Printer;
  logos: Logos;
  /** Path prefix before /pay, for an installation that is not at the root of its host. */
  base: string;
  merchant(team_id: bigint): Promise<Merchant>;
}

/** Creates the shared state of the payment pages. */
export function openCheckout(deps: CheckoutDeps): CheckoutContext {
  // Every page needs name, colour and language, which rarely change.
  const merchants = new Remembered<Merchant>(deps.clock, MERCHANT_MS, MAX_MERCHANTS);
  return {
    deps,
    submits: new Throttle(deps.clock, SUBMITS_A_MINUTE),
    reads: new Throttle(deps.clock, READS_A_MINUTE),
    live: new Live(deps),
    prints: new Throttle(deps.clock, PRINTS_A_MINUTE),
    printer: new Printer(),
    logos: new Logos(send, deps.clock),
    base: new URL(deps.config.public_url).pathname.replace(/\/$/, ''),
    merchant: (team_id) => merchants.get(String(team_id), () => merchantOf(deps, team_id)),
  };
}

/** Returns the path of a payment's page. */
export function pathOf(context: CheckoutContext, token: string): string {
  return `${context.base}/pay/${token}`;
}

/**
 * Counts a request with a valid token against its rate limit, before the database is read.
 * @returns seconds to wait; 0 when the request is allowed
 */
export function countRead({ deps, reads }: CheckoutContext, { token }: Visit): number {
  return isHostedToken(deps, token) ? reads.take(token) : 0;
}

/** A request together with the payment it is for. */
export interface Opened {
  hosted: Hosted;
  /** Has the payer's language: their choice on the page, else the merchant's for this payment, else by team and browser. */
  visit: Visit;
}

/** Returns the payment of a visit; null for an invalid token or an unknown payment. */
export async function openVisit(context: CheckoutContext, visit: Visit): Promise<Opened | null> {
  const hosted = await openHosted(context.deps, visit.token);
  if (!hosted) return null;
  if (visit.chosen) return { hosted, visit };
  const { locale } = themeOf(hosted.payment.details?.theming);
  const language = locale ?? payerLanguage(visit.accepts, await context.merchant(hosted.payment.team_id));
  return { hosted, visit: { ...visit, language } };
}
