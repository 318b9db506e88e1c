import type { Readable } from 'node:stream';
import type { Deps } from '../deps.ts';
import { send } from '../kit/fetch.ts';
import type { Html } from '../kit/html.ts';
import { Throttle } from '../kit/throttle.ts';
import { Remembered } from '../kit/remembered.ts';
import { type Hosted, isHostedToken, merchantName, openHosted } from '../payments/hosted.ts';
import type { Language } from './language.ts';
import { Printer } from '../receipts/printer.ts';
import { Live } from './live.ts';
import { type Logo, Logos } from './theme/logos.ts';
import { themeOf } from './theme/theme.ts';

/** Submits of one page in a minute: a payer needs a few, someone guessing numbers would need thousands. */
const SUBMITS_A_MINUTE = 30;
/** Requests for one payment's pages in a minute: a page in several tabs that asks every few seconds needs a part of them. */
const READS_A_MINUTE = 300;
/** PDFs of one receipt in a minute: each is made anew. */
const PRINTS_A_MINUTE = 10;
/** A shop that changes its name is shown under the old one for so long. */
const NAME_MS = 60_000;
const MOST_NAMES = 10_000;

/** One request for a page, as the handlers see it: no framework. */
export interface Visit {
  token: string;
  language: Language;
  /** The payer chose the language on the page, so nobody else's wish counts. */
  chosen: boolean;
  /** The secret of the browser's cookie; null when it sent none. */
  browser: string | null;
  /** The answer is wanted as JSON. */
  json: boolean;
  /** The body came as JSON, which another site's page can not send without being asked first. */
  jsonBody: boolean;
  crossSite: boolean;
  /** Not a telephone, by its own word, and with room for a code for one. */
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
  /** The secret for the browser's cookie. */
  browser?: string;
}

/** What is sent back to a page that was opened or a form that was sent. */
export type Shown =
  | PageAnswer
  | { kind: 'json'; status: number; body: object; headers?: Record<string, string>; browser?: string }
  | { kind: 'redirect'; to: string; browser?: string; language?: Language };

/** What is sent back. */
export type Answer =
  | Shown
  | { kind: 'picture'; logo: Logo }
  | { kind: 'stream'; stream: Readable }
  | { kind: 'pdf'; name: string; bytes: Uint8Array };

/** What all visits share. */
export interface Desk {
  deps: Deps;
  /** By token and not by address: whole mobile networks share a few addresses. */
  submits: Throttle;
  reads: Throttle;
  live: Live;
  /** By token: one payer prints a receipt a few times. */
  prints: Throttle;
  printer: Printer;
  logos: Logos;
  /** Path in front of /pay, for an installation that does not stand at the root of its host. */
  base: string;
  merchantName(team_id: bigint): Promise<string>;
}

export function openDesk(deps: Deps): Desk {
  // Names are asked for by every poll and page and hardly ever change.
  const names = new Remembered<string>(deps.clock, NAME_MS, MOST_NAMES);
  return {
    deps,
    submits: new Throttle(deps.clock, SUBMITS_A_MINUTE),
    reads: new Throttle(deps.clock, READS_A_MINUTE),
    live: new Live(deps),
    prints: new Throttle(deps.clock, PRINTS_A_MINUTE),
    printer: new Printer(),
    logos: new Logos(send, deps.clock),
    base: new URL(deps.config.public_url).pathname.replace(/\/$/, ''),
    merchantName: (team_id) => names.get(String(team_id), () => merchantName(deps, team_id)),
  };
}

export function pathOf(desk: Desk, token: string): string {
  return `${desk.base}/pay/${token}`;
}

/** Counts a request for a page that is ours, before the database is read. @returns seconds to wait, 0 when it may go on */
export function countRead({ deps, reads }: Desk, { token }: Visit): number {
  return isHostedToken(deps, token) ? reads.take(token) : 0;
}

/** What a visit is about. */
export interface Opened {
  hosted: Hosted;
  /** In the payer's language: their choice on the page, else the merchant's for this payment, else their browser's. */
  visit: Visit;
}

/** Opens the payment of a visit; null for a token that is none of ours. */
export async function openVisit(desk: Desk, visit: Visit): Promise<Opened | null> {
  const hosted = await openHosted(desk.deps, visit.token);
  if (!hosted) return null;
  const { locale } = themeOf(hosted.payment.details?.theming);
  return { hosted, visit: visit.chosen || locale === null ? visit : { ...visit, language: locale } };
}
