import { newId } from '../../kit/ids.ts';
import type { RawCallback } from '../adapters/contract.ts';
import { type KnownNumbers, redactedBody } from './redact.ts';
import type { Authentication, NewExchange } from './schema.ts';
import type { AccountOwner } from './watch.ts';

/** An answered callback, and the attempt, payout or refund to which it refers. */
export interface AnsweredCallback extends AccountOwner {
  subject_id: string;
  provider: string;
  account_id: string;
  numbers: KnownNumbers;
  callback: Authentication;
  /** Whether it came to the unguessable address of the subject. */
  by_address: boolean;
  raw: Pick<RawCallback, 'method' | 'headers' | 'body'>;
  answer: { status: number; body: string };
  /** When it arrived, in milliseconds since the epoch. */
  at: number;
  duration_ms: number;
}

/** Returns the storable form of a callback: the listed fields of its body and our answer, never its headers, query or secret address. */
export function callbackExchange({ raw, answer, by_address, numbers, duration_ms, ...rest }: AnsweredCallback): NewExchange {
  const { account_id, subject_id, environment, at } = rest;
  return {
    ...rest,
    ...{ id: newId('pex', environment, at), method: raw.method },
    path: `/_callbacks/${account_id}${by_address ? `/${subject_id}/…` : ''}`,
    ...{ status: answer.status, error: null, duration_ms: Math.round(duration_ms) },
    request: redactedBody(jsonOf(raw), numbers),
    response: redactedBody(answer.body, numbers),
    response_bytes: raw.body.length,
  };
}

/** Returns the body as JSON; some providers send their fields as a form. */
function jsonOf({ headers, body }: AnsweredCallback['raw']): string {
  const text = body.toString('utf8');
  const isForm = String(headers['content-type']).startsWith('application/x-www-form-urlencoded');
  return isForm ? JSON.stringify(Object.fromEntries(new URLSearchParams(text))) : text;
}
