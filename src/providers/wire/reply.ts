import type { SendResult } from '../../kit/fetch.ts';

/** What came of a call to a provider, as far as it decides what may be believed. */
export type Reply =
  /** A whole answer. The body is the parsed JSON: null when it is something else, undefined when there is none at all. */
  | { kind: 'answered'; status: number; body: unknown }
  /** Provably nothing left, so nothing can have been created. */
  | { kind: 'unsent'; message: string }
  /** It left, and no whole answer came back: nobody can tell. */
  | { kind: 'lost'; message: string };

/** A cut answer counts as a lost one: what was read of it may be the harmless half. */
export function replyOf(result: SendResult): Reply {
  if (result.kind === 'failed') {
    return { kind: result.sent ? 'lost' : 'unsent', message: `${result.error}: ${result.detail}` };
  }
  if (result.truncated) return { kind: 'lost', message: `an answer that is too long (HTTP ${result.status})` };
  return { kind: 'answered', status: result.status, body: result.body === '' ? undefined : parsed(result.body) };
}

/**
 * Statuses that by themselves mean a request was rejected before anything was created: bad request, wrong credentials, no
 * such address, throttled. docs/providers.md cites what each provider publishes of them. Every other status proves nothing.
 */
const TURNED_AWAY = new Set([400, 401, 403, 404, 429]);

/** What an answer says where something is there already, or may still be under way: a rejection with it proves nothing. */
const MAY_EXIST = /already|duplicat|being processed|time[d]?[ -]?out|d\u00e9j\u00e0/i;

export function isTurnedAway({ status, body }: Extract<Reply, { kind: 'answered' }>): boolean {
  return TURNED_AWAY.has(status) && !MAY_EXIST.test(JSON.stringify(body) ?? '');
}

/** The fields of a JSON object; none of anything else. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** A JSON array; an empty one for anything else. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value of a JSON text; null when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
