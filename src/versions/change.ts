import type { JsonObject } from '../kit/json.ts';

/** What answers, lists and events show, by the key of a single one. */
export type ResourceName =
  | 'transaction'
  | 'refund'
  | 'transfer'
  | 'beneficiary'
  | 'customer'
  | 'payment_method'
  | 'webhook'
  | 'delivery'
  | 'event'
  | 'invoice'
  | 'link'
  | 'account'
  | 'dispute'
  | 'identity'
  | 'balance'
  | 'channel'
  | 'country'
  | 'currency'
  | 'bank';

/** `POST /payments/:id`: an operation by method and path. */
export type RouteName = string;

/** The parts of a request that may differ between versions. */
export interface Sent {
  /** Undefined for operations without one. */
  body: unknown;
  query: Record<string, unknown>;
}

/**
 * How one version of the API differs from the one before it: small pure functions, each for one step. Handlers speak the
 * newest version only; whoever speaks an older one is led up and down the chain of changes.
 */
export interface VersionChange {
  /** The day it came: versions sort by it. */
  version: string;
  /** Requests: as the version before sends them, to what this one takes. */
  requests?: Record<RouteName, RequestChange>;
  /** Resources wherever they stand, in answers, lists and events: as this version shows them, to what the one before shows. */
  resources?: Partial<Record<ResourceName, (shown: JsonObject) => JsonObject>>;
  /** What else an answer holds, without its resources. */
  answers?: Record<RouteName, (answer: JsonObject) => JsonObject>;
}

export interface RequestChange {
  body?(sent: JsonObject): JsonObject;
  query?(sent: Sent['query']): Sent['query'];
  /** Fields that have another name now: the new one to the old one, which errors have to use. */
  fields?: Record<string, string>;
}
