import { createHmac } from 'node:crypto';
import { sameText } from '../../../kit/crypto.ts';
import type { Callback, RawCallback, Subject } from '../contract.ts';
import { fieldsOf, parsed, textOf, wordOf } from '../wire/reply.ts';

/** Fields covered by the token of a payment notification, concatenated in this order without separators (checkout, HMAC). */
const SIGNED = [
  ...['cpm_site_id', 'cpm_trans_id', 'cpm_trans_date', 'cpm_amount', 'cpm_currency', 'signature', 'payment_method'],
  ...['cel_phone_num', 'cpm_phone_prefixe', 'cpm_language', 'cpm_version', 'cpm_payment_config', 'cpm_page_action'],
  ...['cpm_custom', 'cpm_designation', 'cpm_error_message'],
] as const;

/**
 * Authenticates and parses a callback. A payment notification must have a valid token. It contains no trustworthy
 * status, so it only triggers a status read. A transfer notification has no token. GET is the reachability check
 * before a notification.
 */
export function verifyCallback({ method, headers, body }: RawCallback, secret_key: string): Callback {
  if (method === 'GET') return { kind: 'hint', subject: null };
  const fields = fieldsIn(body);
  const token = headers['x-token'];
  const isOfPayment = token !== undefined || Object.keys(fields).some((name) => name.startsWith('cpm_'));
  if (isOfPayment && !isGenuine(fields, token, secret_key)) return { kind: 'forged', message: 'the token is missing or wrong' };
  if (!isOfPayment) return { kind: 'hint', subject: subjectOf(fields.client_transaction_id) };
  // Only fields that the token covers are used. Otherwise a captured token would authenticate callbacks about any transaction.
  return { kind: 'hint', subject: subjectOf(fields.cpm_trans_id), proven: true };
}

function isGenuine(fields: Record<string, unknown>, token: string | string[] | undefined, secret_key: string): boolean {
  const text = SIGNED.map((name) => wordOf(fields[name]) ?? '').join('');
  const due = createHmac('sha256', secret_key).update(text).digest('hex');
  return secret_key !== '' && typeof token === 'string' && sameText(token.toLowerCase(), due);
}

function subjectOf(id: unknown): Subject | null {
  const value = textOf(id);
  return value !== null && /^[0-9a-f]{32}$/.test(value) ? { by: 'provider_key', value } : null;
}

/** Parses the body. Payment notifications are form-encoded; transfer notifications are either form-encoded or JSON. */
function fieldsIn(body: Buffer): Record<string, unknown> {
  const text = body.toString('utf8');
  return text.trimStart().startsWith('{') ? fieldsOf(parsed(text)) : Object.fromEntries(new URLSearchParams(text));
}
