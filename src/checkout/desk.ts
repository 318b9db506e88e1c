import type { Deps } from '../deps.ts';
import type { Html } from '../kit/html.ts';
import { merchantName } from '../payments/hosted.ts';
import type { Language } from './language.ts';
import { Throttle } from '../kit/throttle.ts';

/** Submits of one page in a minute: a payer needs a few, someone guessing numbers would need thousands. */
const SUBMITS_A_MINUTE = 30;
/** A shop that changes its name is shown under the old one for so long. */
const NAME_MS = 60_000;
const MOST_NAMES = 10_000;

/** One request for a page, as the handlers see it: no framework. */
export interface Visit {
  token: string;
  language: Language;
  /** The secret of the browser's cookie; null when it sent none. */
  browser: string | null;
  /** The answer is wanted as JSON. */
  json: boolean;
  /** The body came as JSON, which another site's page can not send without being asked first. */
  jsonBody: boolean;
  crossSite: boolean;
  ip: string;
}

export interface PageAnswer {
  kind: 'page';
  status: number;
  page: Html;
  headers?: Record<string, string>;
  /** The secret for the browser's cookie. */
  browser?: string;
}

/** What is sent back. */
export type Answer =
  | PageAnswer
  | { kind: 'json'; status: number; body: object; headers?: Record<string, string>; browser?: string }
  | { kind: 'redirect'; to: string; browser?: string };

/** What all visits share. */
export interface Desk {
  deps: Deps;
  /** By token and not by address: whole mobile networks share a few addresses. */
  submits: Throttle;
  /** Path in front of /pay, for an installation that does not stand at the root of its host. */
  base: string;
  merchantName(team_id: bigint): Promise<string>;
}

export function openDesk(deps: Deps): Desk {
  return {
    deps,
    submits: new Throttle(deps.clock, SUBMITS_A_MINUTE),
    base: new URL(deps.config.public_url).pathname.replace(/\/$/, ''),
    merchantName: remembered(deps),
  };
}

/** Names are asked for by every poll and page and hardly ever change. */
function remembered(deps: Deps): Desk['merchantName'] {
  const names = new Map<bigint, { name: string; until: number }>();
  return async (team_id) => {
    const now = deps.clock.now();
    const known = names.get(team_id);
    if (known && known.until > now) return known.name;
    const name = await merchantName(deps, team_id);
    if (names.size >= MOST_NAMES) names.clear();
    names.set(team_id, { name, until: now + NAME_MS });
    return name;
  };
}

export function pathOf(desk: Desk, token: string): string {
  return `${desk.base}/pay/${token}`;
}
