import type { Readable } from 'node:stream';
import type { Environment } from '../../kit/environment.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Html } from '../../kit/html.ts';
import type { Db } from '../../kit/sql.ts';
import type { PaidTo, PaysOutTo, Reply } from '../../tenants/api/route.ts';
import type { Scope } from '../../tenants/keys/scopes.ts';
import type { Permission, Role } from '../../tenants/people/roles.ts';
import type { Membership, Session } from '../../tenants/people/schema.ts';
import type { TeamRow } from '../../tenants/teams/store.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { ConsoleLanguage } from './language.ts';

/** One request for the console, without types of the web framework. */
export interface Visit {
  /** Path with the query, as the browser sent it. */
  path: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** Fields of the submitted form; a field that was sent more than once is a list. */
  form: Record<string, string | string[]>;
  language: ConsoleLanguage;
  /** Null: no person is signed in. */
  session: Session | null;
  /** Secret in the browser's cookie, to which forms are bound. */
  browser: string;
  request_id: string;
  trace_id: string;
  ip: string;
  agent: string;
  /** Scheme, host and port under which the browser sees the console. */
  origin: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Returns the hidden fields of a form: a fresh token, which is also its idempotency key. */
  formFields(): Html;
  /** Idempotency key of the submitted form: the same for each submit of one form that was shown. */
  formKey: string;
}

/** A visit of a person who is signed in. */
export interface PersonVisit extends Visit {
  session: Session;
}

/** A visit of a member in a team and an environment. */
export interface TeamVisit extends PersonVisit {
  team: TeamRow;
  environment: Environment;
  membership: Membership;
  role: Role;
  /** Rows of this team and environment only. */
  store: Store;
  /** `/console/<team>/<environment>`: prefix of the team's paths. */
  base: string;
  can(permission: Permission): boolean;
  /**
   * Calls an operation of the API as this person: validated, permitted by the role's scopes, audited, and repeated at most once for
   * each `idempotency_key`.
   * @param operation such as `POST /refunds`
   * @throws Problem as the API responds with it
   */
  api(operation: string, sent?: ApiCall): Promise<Reply>;
  /**
   * Runs the checks of {@link api} without running the operation.
   * @returns the scope that the operation needs
   */
  check(operation: string, body: unknown): Scope;
  /**
   * Verifies during a long answer that the session is still open and the role still has this permission.
   * @throws Problem 403 otherwise
   */
  stillMay(permission: Permission): Promise<void>;
  /** The database of approvals, and the secrets that encrypt them. */
  approvals: { control: Db; secrets: Secrets };
  /** Open approvals that this person may decide on, up to {@link MAX_SHOWN_WAITING}. */
  waiting: number;
}

/** Maximum open approvals that are counted; this many are shown as `9+`. */
export const MAX_SHOWN_WAITING = 10;

export interface ApiCall {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotency_key?: string | null;
  /** Subaccount for which the operation runs, for operations that accept `X-Sync`. */
  sync?: string | null;
  /** Verifies the recipient that the operation is about to pay. */
  verifyPayee?(payee: PaidTo): void;
  /** Verifies where the money of a subaccount goes that the operation is about to change. */
  verifyDestination?(before: PaysOutTo): void;
  /** Verifies that the object that the operation is about to change is as the person saw it. */
  verifySeen?(before: object): void;
  /** Verifies that the operation may run, once it has taken its idempotency key. */
  verifyFirst?(): Promise<void>;
}

/** Answer of a page. */
export type Answer =
  | {
      kind: 'page';
      title: string;
      body: Html;
      /** Default: 200. */
      status?: number;
      /** Path below the team's base of the entry of the navigation that is shown as current. */
      nav?: string;
      /** Whether a page outside of a team is wide enough for a table. */
      wide?: boolean;
      cookies?: Cookies;
      headers?: Record<string, string>;
    }
  /** A document without the frame, which is shown within a page. */
  | { kind: 'document'; content: Html; headers: Record<string, string> }
  | { kind: 'redirect'; to: string; cookies?: Cookies }
  | { kind: 'file'; type: string; name: string; content: string | Uint8Array | Readable };

export type PageAnswer = Extract<Answer, { kind: 'page' }>;

/** Cookies to set. */
export interface Cookies {
  /** Null: deleted. */
  session?: string | null;
  language?: ConsoleLanguage;
}

interface Common {
  method: 'GET' | 'POST';
  /** Below `/console`; of a team's page, below `/console/:team/:environment`. */
  path: string;
  /** Maximum size of its form, where it differs from the default. */
  body_bytes?: number;
}

/** A page or an action, as data: the router, the navigation and a test of all roles derive from it. */
export type ConsolePage =
  | (Common & { who: 'anyone'; handle(visit: Visit): Promise<Answer> })
  | (Common & {
      who: 'person';
      /** Only for operators of the installation. */
      operator?: boolean;
      /** A factor must have been presented in the last minutes. */
      fresh?: boolean;
      handle(visit: PersonVisit): Promise<Answer>;
    })
  | (Common & {
      who: 'team';
      /** Permission that the role needs in this environment. */
      permission: Permission;
      fresh?: boolean;
      /** Exists in live only, as the operations of the API behind it. */
      liveOnly?: boolean;
      handle(visit: TeamVisit): Promise<Answer>;
    });

/** Returns a page for everybody, signed in or not. */
export function openPage(page: Omit<Extract<ConsolePage, { who: 'anyone' }>, 'who'>): ConsolePage {
  return { who: 'anyone', ...page };
}

/** Returns a page for everybody who is signed in. */
export function personPage(page: Omit<Extract<ConsolePage, { who: 'person' }>, 'who'>): ConsolePage {
  return { who: 'person', ...page };
}

/** Returns a page of a team, for members whose role has the permission. */
export function teamPage(page: Omit<Extract<ConsolePage, { who: 'team' }>, 'who'>): ConsolePage {
  return { who: 'team', ...page };
}

/**
 * Returns the only value of a field of the form; empty when it is absent or was sent more than once. Browsers send each line break as
 * two characters; one is left, as the API counts and stores it.
 */
export function fieldOf({ form }: Visit, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
}

/** Returns a field as it was typed, with the spaces at its ends: a password. */
export function secretOf({ form }: Visit, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

/** Redirects after a form, with 303. */
export function redirect(to: string, cookies?: Cookies): Answer {
  return { kind: 'redirect', to, ...(cookies ? { cookies } : {}) };
}
