import type { Clock } from '../../kit/clock.ts';
import { sameText } from '../../kit/crypto.ts';
import type { Callback, RawCallback, Reading } from '../contract.ts';
import { fieldsOf, parsed } from '../wire/reply.ts';
import { POLLS } from './checkout.ts';
import { readingOf } from './map.ts';
import { isSigned } from './signature.ts';

/** What Wave's site shows for the endpoint: one of two strategies, or none that we were told. */
export interface Secrets {
  signing: string | null;
  shared: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A signed webhook is news. A shared secret only says who sends: it makes us ask, as does a webhook of which we know no
 * secret at all.
 */
export function judgeWebhook(raw: RawCallback, { signing, shared }: Secrets, clock: Clock): Callback {
  const session = fieldsOf(fieldsOf(parsed(raw.body.toString('utf8'))).data);
  const key = session.client_reference;
  const subject = typeof key === 'string' && UUID.test(key) ? ({ by: 'provider_key', value: key } as const) : null;
  if (signing !== null) {
    if (!isSigned(signing, headerOf(raw, 'wave-signature'), raw.body, clock.now())) {
      return { kind: 'forged', message: 'the signature is missing or does not fit' };
    }
    return { kind: 'signed', subject, news: subject && newsOf(session, subject.value) };
  }
  if (shared !== null && !sameText(headerOf(raw, 'authorization'), `Bearer ${shared}`)) {
    return { kind: 'forged', message: 'the shared secret is missing or wrong' };
  }
  return { kind: 'hint', subject };
}

/** A try that failed leaves the session open, and what we can not read is no news: then we ask. */
function newsOf(session: Record<string, unknown>, key: string): Reading | null {
  const reading = readingOf(session, key, POLLS.first_ms);
  return reading.kind === 'pending' || reading.kind === 'unreadable' ? null : reading;
}

function headerOf({ headers }: RawCallback, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
