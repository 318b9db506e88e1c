import { newId, randomHex } from '../../kit/ids.ts';
import { blot } from '../../kit/log.ts';

export interface Tracing {
  request_id: string;
  /** Whether the service generated {@link request_id}, so that it is unique. */
  own_id: boolean;
  trace_id: string;
  /** W3C trace context of our own span in the caller's trace. */
  traceparent: string;
}

const REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * Reads or creates the ids of a request. An X-Request-Id sent by the caller is echoed when it is up to 64 characters of printable ASCII and
 * contains no card number or key, because it is logged and stored. An incoming traceparent is continued.
 * @param at milliseconds since the epoch
 */
export function readTracing(headers: Record<string, string | string[] | undefined>, at: number): Tracing {
  const sent = headers['x-request-id'];
  const usable = typeof sent === 'string' && REQUEST_ID.test(sent) && blot(sent) === sent;
  const parent = typeof headers.traceparent === 'string' ? TRACEPARENT.exec(headers.traceparent) : null;
  const trace_id = parent?.[1] ?? randomHex(16);
  return {
    request_id: usable ? sent : newId('req', 'live', at),
    own_id: !usable,
    trace_id,
    traceparent: `00-${trace_id}-${randomHex(8)}-${parent?.[2] ?? '00'}`,
  };
}
