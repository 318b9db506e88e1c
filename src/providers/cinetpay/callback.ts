import { createHmac } from 'node:crypto';
import { sameText } from '../../kit/crypto.ts';
import type { Callback, RawCallback, Subject } from '../contract.ts';
import { fieldsOf, parsed, textOf } from '../wire/reply.ts';

/** What the token of a payment's notification is made over, in this order and without anything between (checkout, HMAC). */
const SIGNED = [
  ...['cpm_site_id', 'cpm_trans_id', 'cpm_trans_date', 'cpm_amount', 'cpm_currency', 'signature', 'payment_method'],
  ...['cel_phone_num', 'cpm_phone_prefixe', 'cpm_language', 'cpm_version', 'cpm_payment_config', 'cpm_page_action'],
  ...['cpm_custom', 'cpm_designation', 'cpm_error_message'],
] as const;

/**
 * A payment is announced with a token that has to be right; but it names no status that could be believed, so that it too is
 * only a reason to look. A transfer is announced without one, and GET is the knock that comes before.
 */
export function readCallback({ method, headers, body }: RawCallback, secret_key: string): Callback {
  if (method === 'GET') return { kind: 'hint', subject: null };
  const fields = fieldsIn(body);
  const token = headers['x-token'];
  const isOfPayment = token !== undefined || Object.keys(fields).some((name) => name.startsWith('cpm_'));
  if (isOfPayment && !isGenuine(fields, token, secret_key)) return { kind: 'forged', message: 'the token is missing or wrong' };
  return { kind: 'hint', subject: subjectOf(fields.cpm_trans_id) ?? subjectOf(fields.client_transaction_id) };
}

function isGenuine(fields: Record<string, unknown>, token: string | string[] | undefined, secret_key: string): boolean {
  const text = SIGNED.map((name) => fields[name] ?? '').join('');
  const due = createHmac('sha256', secret_key).update(text).digest('hex');
  return secret_key !== '' && typeof token === 'string' && sameText(token.toLowerCase(), due);
}

function subjectOf(id: unknown): Subject | null {
  const value = textOf(id);
  return value !== null && /^[0-9a-f]{32}$/.test(value) ? { by: 'provider_key', value } : null;
}

/** Payments come as a form, transfers in either way. */
function fieldsIn(body: Buffer): Record<string, unknown> {
  const text = body.toString('utf8');
  return text.trimStart().startsWith('{') ? fieldsOf(parsed(text)) : Object.fromEntries(new URLSearchParams(text));
}
