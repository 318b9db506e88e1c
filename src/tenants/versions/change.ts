import type { JsonObject } from '../../kit/json.ts';

/** Resources in responses, lists and events, by the key of a single one. */
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

/** An operation by method and path, such as `POST /payments/:id`. */
export type RouteName = string;

/** Parts of a request that may differ between versions. */
export interface Sent {
  /** Undefined for operations without a body. */
  body: unknown;
  query: Record<string, unknown>;
}

/**
 * Differences between one API version and the one before it, as small pure functions for one step each. Handlers implement the
 * newest version only; requests and responses of older versions are translated through the chain of changes.
 */
export interface VersionChange {
  /** Release date; versions sort by it. */
  version: string;
  /** Requests: from the form of the previous version to that of this one. */
  requests?: Record<RouteName, RequestChange>;
  /** Resources in responses, lists and events: from the form of this version to that of the previous one. */
  resources?: Partial<Record<ResourceName, (shown: JsonObject) => JsonObject>>;
  /** Responses apart from their resources: from the form of this version to that of the previous one. */
  answers?: Record<RouteName, (answer: JsonObject) => JsonObject>;
}

export interface RequestChange {
  body?(sent: JsonObject): JsonObject;
  query?(sent: Sent['query']): Sent['query'];
  /** Renamed fields, from the new name to the old one, which errors have to use. */
  fields?: Record<string, string>;
}
