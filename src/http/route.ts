import type { Static, TSchema } from 'typebox';
import type { FieldErrors } from '../kit/errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { Scope } from '../keys/scopes.ts';
import type { ProblemName } from './openapi/problems.ts';

/**
 * One operation of the API as data: what the slices' routes.ts files export and http/server.ts registers. Access,
 * scopes, validation, documentation and the order of checks are all read from here; handlers never see the framework.
 */
export interface Route<Body extends TSchema = TSchema, Query extends TSchema = TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  /** For the documentation: what the summary does not say, in Markdown. */
  description?: string;
  /** For the documentation; left out, it is told from method and path. */
  operation_id?: string;
  /** Key kinds that may call it: `public` takes all; `private` answers a public key with 406. */
  access: 'public' | 'private';
  /** What a restricted key needs. */
  scope: Scope;
  /** A sandbox key gets 403. */
  liveOnly?: boolean;
  /** A live key gets 501. */
  sandboxOnly?: boolean;
  body?: Body;
  query?: Query;
  /** Honours Idempotency-Key. */
  idempotent?: boolean;
  /** Payers' data comes in: any number that begins as cards do counts as one, also where no issuer has such numbers. */
  payer_data?: boolean;
  /** Reads X-Sync. */
  sync?: boolean;
  /** For the documentation: what the handler itself can object to; every other error follows from the rest. */
  problems?: readonly ProblemName[];
  /** What the schema can not say; told together with what it does say. The body may not fit the schema. */
  check?(body: Static<Body>): FieldErrors;
  /** Success bodies by status; errors are the same everywhere and added by the server. */
  replies: Record<number, TSchema>;
  handle(call: Call<Static<Body>, Static<Query>>): Promise<Reply>;
}

/** One request, checked: what a handler gets. */
export interface Call<Body = unknown, Query = unknown> {
  caller: Caller;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The body as it was sent in an older version; left out: `body` is. */
  sent_body?: unknown;
  /** The Idempotency-Key header, checked for form; null when not sent. */
  idempotency_key: string | null;
  /** The X-Sync header. */
  sync: string | null;
  request_id: string;
  trace_id: string;
  /** The calling address. */
  ip: string;
  /** When the request came, in milliseconds since the epoch: one moment for everything it writes. */
  at: number;
}

export interface Reply {
  code: number;
  message: string;
  /** What follows code, status and message. */
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The version a kept answer is in; left out: the newest. */
  version?: string;
}

/** Keeps the types of a route's body and query for its handler. */
export function route<Body extends TSchema, Query extends TSchema>(definition: Route<Body, Query>): Route {
  return definition as unknown as Route;
}
