import { PirogueError } from './errors.ts';
import type { PirogueEvent } from './shapes.ts';

/** Maximum clock difference between sender and receiver. */
const TOLERANCE_SECONDS = 300;
const PREFIX = 'v1=';
const SECRET_PREFIX = 'whsec_';

/** Headers as the platform provides them: of a web `Request`, or of Node's `IncomingMessage`. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Maximum difference between the delivery's timestamp and now; default 300. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch; default: the current time. */
  now?: number | undefined;
}

/** Why a delivery was rejected. */
export type VerificationFault =
  | 'signature_missing'
  | 'signature_malformed'
  | 'timestamp_missing'
  | 'signature_mismatch'
  | 'timestamp_out_of_tolerance'
  | 'body_malformed';

/** The delivery is not from the service, or not recent: answer 400 and do nothing else. */
export class WebhookVerificationError extends PirogueError {
  readonly fault: VerificationFault;

  constructor(fault: VerificationFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Verifies a delivery in this order: the `v1=` prefix, the digest of the exact bytes received, in constant time, and the
 * timestamp.
 * @param rawBody the body as received, before any parsing
 * @param secret secret of the endpoint (`whsec_…`); several during a rotation
 * @returns the event. The same one can be delivered twice, so store its `id`
 * @throws WebhookVerificationError, or TypeError for an invalid secret
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: DeliveryHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<PirogueEvent> {
  const secrets = [secret].flat();
  if (secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(
      'The secret of the webhook endpoint must be the text that begins with whsec_, as shown when it was made.',
    );
  }
  const signature = headerOf(headers, 'X-Service-Signature');
  const timestamp = headerOf(headers, 'X-Service-Timestamp');
  if (signature === null) throw new WebhookVerificationError('signature_missing', 'There is no X-Service-Signature.');
  if (!signature.startsWith(PREFIX))
    throw new WebhookVerificationError('signature_malformed', 'The signature does not begin with v1=.');
  if (timestamp === null) throw new WebhookVerificationError('timestamp_missing', 'There is no X-Service-Timestamp.');
  const body = bytesOf(rawBody);
  const digests = await Promise.all(secrets.map((one) => hmac(one, concat(bytesOf(`${timestamp}.`), body))));
  const given = signature.slice(PREFIX.length);
  // Every secret is compared, so that the time does not reveal which one matches.
  if (!digests.map((digest) => equal(digest, given)).includes(true)) {
    throw new WebhookVerificationError('signature_mismatch', 'The signature does not match the body, timestamp and secret.');
  }
  const age = /^\d+$/.test(timestamp) ? Math.abs(now / 1000 - Number(timestamp)) : Number.NaN;
  // The condition is negated so that NaN is rejected too.
  if (!(age <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_out_of_tolerance', 'The timestamp is too old or too new.');
  }
  return parsed(body);
}

/** Whether the value is a secret. Anything else, such as a missing setting, would be a key that an attacker can guess. */
function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(SECRET_PREFIX) && value.length > SECRET_PREFIX.length;
}

function headerOf(headers: DeliveryHeaders, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase());
  const value = [entry?.[1]].flat()[0];
  return value ?? null;
}

/** `instanceof` would miss libraries that have a Headers class of their own. */
function isHeaders(headers: DeliveryHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function bytesOf(data: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError('rawBody must be the bytes or the text received, not what a parser made of them.');
}

function concat(first: Uint8Array, second: Uint8Array) {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Returns the HMAC-SHA256 in lower-case hex. */
async function hmac(secret: string, data: ReturnType<typeof concat>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, data));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares in constant time. The length of a digest is not secret. */
function equal(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i += 1) difference |= expected.charCodeAt(i) ^ given.charCodeAt(i);
  return difference === 0;
}

function parsed(body: Uint8Array): PirogueEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as PirogueEvent;
  } catch {
    throw new WebhookVerificationError('body_malformed', 'The body is signed, but not JSON.');
  }
}
