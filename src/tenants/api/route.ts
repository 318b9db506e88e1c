import type { Static, TSchema } from 'typebox';
import type { Warning } from '../../kit/envelope.ts';
import type { Environment } from '../../kit/environment.ts';
import type { FieldErrors } from '../../kit/errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { Scope } from '../keys/scopes.ts';
import type { ProblemName } from './problems.ts';

/**
 * One operation of the API as data: exported by the slices' routes.ts files and registered by http/server.ts. Access, scopes,
 * validation, documentation and the order of checks are all derived from it; handlers do not depend on the framework.
 */
export interface Route<Body extends TSchema = TSchema, Query extends TSchema = TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  /** Documentation: details beyond the summary, in Markdown. */
  description?: string;
  /** Documentation; default: derived from method and path. */
  operation_id?: string;
  /** Key kinds that may call the operation: `public` accepts all; `private` rejects a public key with 406. */
  access: 'public' | 'private';
  /** Whether the public keys of a team that has restricted them to paying may call the operation. */
  pays?: true;
  /** Scope that a restricted key needs. */
  scope: Scope;
  /** Rejects a sandbox key with 403. */
  liveOnly?: boolean;
  /** Rejects a live key with 501. */
  sandboxOnly?: boolean;
  body?: Body;
  query?: Query;
  /** Whether the operation supports Idempotency-Key. */
  idempotent?: boolean;
  /**
   * The body carries payers' data: any number with the first digits of a card counts as a card number, even outside every
   * issuer's ranges.
   */
  payer_data?: boolean;
  /** Whether the operation reads X-Sync. */
  sync?: boolean;
  /** Documentation: errors of the handler itself; all other errors follow from the rest of the route. */
  problems?: readonly ProblemName[];
  /**
   * Returns faults that the schema cannot express; they are reported together with the schema's faults. The body may not
   * conform to the schema.
   */
  check?(body: Static<Body>, environment: Environment): FieldErrors;
  /**
   * Returns the warnings about a body that is accepted. It depends on the body alone, because a replay repeats it. The
   * body may not conform to the schema: the warnings are then not shown.
   */
  warn?(body: Static<Body>): Warning[];
  /** Success bodies by status. Error bodies are the same for all routes and added by the server. */
  replies: Record<number, TSchema>;
  handle(call: Call<Static<Body>, Static<Query>>): Promise<Reply>;
}

/** One validated request: the input of a handler. */
export interface Call<Body = unknown, Query = unknown> {
  caller: Caller;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Body as sent in an older API version. Absent: the same as `body`. */
  sent_body?: unknown;
  /** Idempotency-Key header of a POST, validated; null when absent. Forms and approvals of the console have one for each change. */
  idempotency_key: string | null;
  /** X-Sync header; null when absent. */
  sync: string | null;
  request_id: string;
  trace_id: string;
  /** Address of the caller. */
  ip: string;
  /** Time of the request in milliseconds since the epoch, used for everything it writes. */
  at: number;
  /**
   * Verifies the recipient that the operation is about to pay, in its transaction: it may have changed since a person saw it. An error
   * prevents the payout. Absent: any recipient is accepted.
   */
  verifyPayee?(payee: PaidTo): void;
  /** The same for where the money of a subaccount goes that the operation is about to change. */
  verifyDestination?(before: PaysOutTo): void;
  /** The same for an object that the operation is about to change, as the API returns it. */
  verifySeen?(before: object): void;
  /**
   * Verifies that the operation may run, in its transaction, once it has taken its idempotency key or locked what it changes. An error
   * prevents it, and the key stays unused. Absent: it may. Only actions of the console have it, where a second person may have to decide.
   */
  verifyFirst?(): Promise<void>;
}

/** What identifies the recipient of a payout: the money goes there. */
export type PaidTo = Record<'name' | 'channel' | 'account_number' | 'phone' | 'bank_code' | 'country', string | null>;

/** What decides where the money of a subaccount goes. */
export type PaysOutTo = Readonly<Record<'split' | 'settlement', object | null>>;

export interface Reply {
  code: number;
  message: string;
  /** Fields after `code`, `status` and `message`. */
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** API version of a stored response. Absent: the newest. */
  version?: string;
}

/** Keeps the types of a route's body and query for its handler. */
export function route<Body extends TSchema, Query extends TSchema>(definition: Route<Body, Query>): Route {
  return definition as unknown as Route;
}
