import { sameText } from '../../../kit/crypto.ts';
import type { Callback, RawCallback } from '../contract.ts';
import { fieldsOf, textOf } from '../wire/reply.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Authenticates and parses a webhook. Every webhook contains the account's secret hash in plain text. The hash does
 * not cover the body, so a valid one only triggers a status read. A wrong one is a forgery.
 */
export function verifyCallback({ headers, body }: RawCallback, secret_hash: string): Callback {
  const given = headers['verif-hash'];
  if (secret_hash === '' || typeof given !== 'string' || !sameText(given, secret_hash)) {
    return { kind: 'forged', message: 'the secret hash is missing or wrong' };
  }
  const data = fieldsOf(fieldsOf(parsed(body)).data);
  // A charge contains our key as tx_ref, a transfer as reference.
  const value = textOf(data.tx_ref) ?? textOf(data.reference);
  return { kind: 'hint', subject: value && UUID.test(value) ? { by: 'provider_key', value } : null, proven: true };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
