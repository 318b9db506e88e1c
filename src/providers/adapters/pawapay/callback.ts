import type { Callback, RawCallback, Subject } from '../contract.ts';
import { fieldsOf, textOf } from '../wire/reply.ts';
import type { Account } from './account.ts';
import { POLLS, readingOf } from './collect.ts';
import { type IdField, statusInData } from './codes.ts';
import { verifyMessage } from './signature.ts';

const ID_FIELDS: readonly IdField[] = ['depositId', 'payoutId', 'refundId'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Authenticates and parses a callback. The status in a signed callback is trusted; an unsigned one triggers a status
 * read, and so does one that is verified after its signature expired (60 s in pawaPay's example). A missing signature is a
 * forgery only where the account's configuration says that callbacks are signed.
 */
export function verifyCallback(account: Account, raw: RawCallback): Callback {
  const verdict = verifyMessage(raw, (id) => account.public_keys.get(id), account.clock.now());
  if (verdict === 'wrong') return { kind: 'forged', message: 'the signature does not match' };
  if (verdict === 'unsigned' && account.configuration.signsCallbacks()) {
    return { kind: 'forged', message: 'the signature is missing' };
  }
  const data = parsed(raw.body);
  const id_field = ID_FIELDS.find((field) => field in data);
  const subject = id_field ? subjectOf(data[id_field]) : null;
  if (verdict !== 'right') return { kind: 'hint', subject };
  // Only collections are updated from a callback. Payouts and refunds are read.
  const status = id_field === 'depositId' && subject ? statusInData(data, id_field) : null;
  return { kind: 'signed', subject, update: status && readingOf(status, POLLS.first_ms, account.base_url) };
}

function subjectOf(id: unknown): Subject | null {
  const value = textOf(id);
  return value && UUID.test(value) ? { by: 'provider_key', value: value.toLowerCase() } : null;
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}
