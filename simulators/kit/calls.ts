import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestKind, Fault } from './faults.ts';

/** One request to a simulator. */
export interface Call {
  method: string;
  /** Path without the query. */
  path: string;
  /** Values of the route's `:names`. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /**
   * The fault selected for the request. The kit applies transport faults; the provider applies `closed` and
   * `float_exhausted`.
   */
  fault: Fault;
}

/** Text is sent unchanged, objects as JSON, null as an empty body. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: string | object | null;
}

export interface SimulatorRoute {
  method: string;
  /** Path pattern: `/v2/deposits/:id`. */
  path: string;
  doing: RequestKind;
  answer(call: Call): Answer | Promise<Answer>;
}

/** Returns the body as a JSON object, or null when it is not one. */
export function jsonOf(call: Call): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(call.body.toString('utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/**
 * Finds the route of a request.
 * @returns the route and the values of its `:names`
 */
export function matchRoute(
  routes: readonly SimulatorRoute[],
  method: string,
  path: string,
): { route: SimulatorRoute; params: Record<string, string> } | null {
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, path) : null;
    if (params) return { route, params };
  }
  return null;
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] as string;
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return params;
}

const MAX_BYTES = 1_000_000;

/** Reads the body of a request. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
