import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Guard, Send, SendResult } from '../../kit/fetch.ts';
import { newId } from '../../kit/ids.ts';
import type { Attempt, Claimed } from './deliveries-store.ts';
import { retryDelay } from './schedule.ts';
import { deliveryHeaders, secretPlace } from './sign.ts';
import { storable } from '../../kit/unicode.ts';

/** Maximum response body kept. */
const KEPT_BYTES = 4096;

export interface Sender {
  environment: Environment;
  clock: Clock;
  secrets: Pick<Secrets, 'open'>;
  send: Send;
  guard: Guard;
  timeout_ms: number;
  schedule_ms: readonly number[];
}

export interface Sent {
  attempt: Attempt;
  /** Milliseconds until the next attempt. Null: it succeeded, or it was the last attempt. */
  retry_ms: number | null;
}

/** Makes one attempt: signs the stored bytes unchanged, posts them, and returns the outcome. */
export async function attempt(
  sender: Sender,
  claimed: Omit<Claimed, 'body'> & { body: string },
  target: NonNullable<Claimed['target']>,
): Promise<Sent> {
  const { environment, clock, secrets, schedule_ms } = sender;
  const at = clock.now();
  const id = newId('whd', environment, at);
  const body = Buffer.from(claimed.body);
  const secret = secrets.open(target.secret_sealed, secretPlace(claimed.team_id, claimed.endpoint_id));
  const result = await sender.send({
    method: 'POST',
    url: target.url,
    guard: sender.guard,
    body,
    timeout_ms: sender.timeout_ms,
    max_bytes: KEPT_BYTES,
    headers: deliveryHeaders(secret, { id, event_type: claimed.event_type, sequence: claimed.sequence, body, at }),
  });
  const succeeded = result.kind === 'answered' && result.status >= 200 && result.status < 300;
  return {
    retry_ms: succeeded ? null : retryDelay(schedule_ms, claimed.tries + 1),
    attempt: { attempt_id: id, event_type: claimed.event_type, succeeded, ...described(result), at: new Date(at).toISOString() },
  };
}

function described(result: SendResult): Pick<Attempt, 'status' | 'body' | 'error' | 'ms'> {
  const ms = result.duration_ms;
  if (result.kind === 'failed') return { status: null, body: null, error: `${result.error}: ${storable(result.detail)}`, ms };
  const { status } = result;
  const error = status >= 300 && status < 400 ? 'redirect: redirects are not followed' : null;
  return { status, body: storable(result.body), error, ms };
}
