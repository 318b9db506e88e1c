import { connect } from 'node:net';
import { commandClock } from '../command-clock.ts';
import { send } from '../../../kit/fetch.ts';
import { newId } from '../../../kit/ids.ts';
import { deliveryHeaders } from '../../../money/webhooks/sign.ts';
import type { ReceivedEvent } from './tail.ts';

const TIMEOUT_MS = 10_000;
const PROBE_MS = 1_000;
/** Maximum bytes of the response that are read. It is not used, so the connection is cut beyond that, as the service does. */
const KEPT_BYTES = 4096;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Result of one delivery attempt. */
export interface Forwarded {
  delivery_id: string;
  /** HTTP status; null when there was no answer. */
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** Posts an event as the service would deliver it: with the same headers, signed over the exact bytes that are sent. */
export async function forward(address: string, secret: string, event: ReceivedEvent): Promise<Forwarded> {
  const at = commandClock.now();
  const id = newId('whd', 'sandbox', at);
  const body = Buffer.from(JSON.stringify(event.body));
  const { protocol, hostname } = new URL(address);
  const result = await send({
    method: 'POST',
    url: address,
    // On this machine a certificate proves nothing.
    guard: protocol === 'https:' && LOOPBACK.test(hostname) ? 'public_or_loopback' : 'none',
    timeout_ms: TIMEOUT_MS,
    max_bytes: KEPT_BYTES,
    headers: deliveryHeaders(secret, { id, event_type: event.type, sequence: event.sequence, body, at }),
    body,
  });
  const { duration_ms } = result;
  if (result.kind === 'failed') return { delivery_id: id, status: null, error: result.error, duration_ms };
  return { delivery_id: id, status: result.status, error: null, duration_ms };
}

/** Returns whether the address rejects connections, as it does when no server runs there. Nothing is sent. */
export async function nobodyListens(address: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(address);
  const socket = connect({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', (error) => resolve(causesOf(error).includes('ECONNREFUSED')));
    socket.setTimeout(PROBE_MS, () => resolve(false));
  });
  socket.destroy();
  return refused;
}

/** Returns the error codes. Node combines the failures of all addresses of a name in one error. */
function causesOf(error: Error): (string | undefined)[] {
  const errors = error instanceof AggregateError ? error.errors : [error];
  return (errors as NodeJS.ErrnoException[]).map(({ code }) => code);
}

/** Returns whether the receiver accepted the event. Any status other than 2xx is a failure, as for the service. */
export function accepted({ status }: Forwarded): boolean {
  return status !== null && status >= 200 && status < 300;
}
