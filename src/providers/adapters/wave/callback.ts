import type { Clock } from '../../../kit/clock.ts';
import { sameText } from '../../../kit/crypto.ts';
import type { Callback, RawCallback, Reading } from '../contract.ts';
import { fieldsOf, parsed } from '../wire/reply.ts';
import { POLLS } from './collect.ts';
import { readingOf } from './codes.ts';
import { isSigned } from './signature.ts';

/** The secrets of the webhook endpoint, from Wave's business portal: one of two strategies, or none that was configured. */
export interface Secrets {
  signing: string | null;
  shared: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Authenticates and parses a webhook. The status in a signed webhook is trusted. A shared secret only identifies the
 * sender, so it triggers a status read, as does a webhook for which no secret is configured.
 */
export function verifyCallback(raw: RawCallback, { signing, shared }: Secrets, clock: Clock): Callback {
  const session = fieldsOf(fieldsOf(parsed(raw.body.toString('utf8'))).data);
  const key = session.client_reference;
  const subject = typeof key === 'string' && UUID.test(key) ? ({ by: 'provider_key', value: key } as const) : null;
  if (signing !== null) {
    if (!isSigned(signing, headerOf(raw, 'wave-signature'), raw.body, clock.now())) {
      return { kind: 'forged', message: 'the signature is missing or does not match' };
    }
    return { kind: 'signed', subject, update: subject && updateOf(session, subject.value) };
  }
  if (shared !== null && !sameText(headerOf(raw, 'authorization'), `Bearer ${shared}`)) {
    return { kind: 'forged', message: 'the shared secret is missing or wrong' };
  }
  return { kind: 'hint', subject, ...(shared === null ? {} : { proven: true }) };
}

/**
 * Returns the final status in a webhook, or null. A failed payment attempt leaves the session open, and an unreadable
 * status requires a status read.
 */
function updateOf(session: Record<string, unknown>, key: string): Reading | null {
  const reading = readingOf(session, key, POLLS.first_ms);
  return reading.kind === 'pending' || reading.kind === 'unreadable' ? null : reading;
}

function headerOf({ headers }: RawCallback, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
