import type { SendResult } from '../../../kit/fetch.ts';

/** The result of a call to a provider, by what it proves. */
export type Reply =
  /** A complete response. The body is the parsed JSON: null when it is not JSON, undefined when the body is empty. */
  | { kind: 'answered'; status: number; body: unknown }
  /** The request was provably not sent, so nothing can have been created. */
  | { kind: 'unsent'; message: string }
  /** The request was sent and no complete response was received, so its effect is unknown. */
  | { kind: 'lost'; message: string };

/**
 * Classifies the result of an HTTP call. A truncated response counts as `lost`, because the missing part may change
 * its meaning.
 */
export function replyOf(result: SendResult): Reply {
  if (result.kind === 'failed') {
    return { kind: result.sent ? 'lost' : 'unsent', message: `${result.error}: ${result.detail}` };
  }
  if (result.truncated) return { kind: 'lost', message: `a response that is too long (HTTP ${result.status})` };
  return { kind: 'answered', status: result.status, body: result.body === '' ? undefined : parsed(result.body) };
}

/**
 * Statuses that prove on their own that a request was rejected before anything was created: bad request, wrong
 * credentials, unknown address, throttled. docs/providers.md cites what each provider publishes. Every other status
 * proves nothing.
 */
const REJECTING_STATUSES = new Set([400, 401, 403, 404, 429]);

/**
 * Texts of a response that the operation already exists or may still be pending. A rejection with such a text proves
 * nothing.
 */
const MAY_EXIST = /already|duplicat|being processed|in progress|no response|time[d]?[ -]?out|d\u00e9j\u00e0/i;

/** Returns whether the response proves that nothing was created. */
export function isProvenRejection({ status, body }: Extract<Reply, { kind: 'answered' }>): boolean {
  return REJECTING_STATUSES.has(status) && !MAY_EXIST.test(JSON.stringify(body) ?? '');
}

/** Returns the fields of a JSON object, or an empty object for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Returns a JSON array, or an empty array for any other value. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a non-empty string, or null for any other value. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Returns a string or a number as text, or null for any other value. `String` is not used for objects: it would call their methods, and
 * the JSON `{"toString": 0}` makes it throw.
 */
export function wordOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/**
 * Parses JSON text.
 * @returns null when the text is not valid JSON
 */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
