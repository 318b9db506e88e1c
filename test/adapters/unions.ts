import assert from 'node:assert/strict';

/** The kinds each method may answer with (src/providers/adapters/contract.ts). */
const KINDS = {
  prepare: ['ready', 'refused', 'unavailable'],
  submit: ['accepted', 'succeeded', 'refused', 'unavailable', 'duplicate', 'unknown'],
  read: ['pending', 'succeeded', 'failed', 'cancelled', 'expired', 'not_found', 'unreadable'],
  cancel: ['cancelled', 'too_late', 'unknown'],
  'payouts.submit': ['pending', 'succeeded', 'failed', 'cancelled', 'unavailable', 'unfunded', 'not_found', 'unknown'],
  'payouts.read': ['pending', 'succeeded', 'failed', 'cancelled', 'unavailable', 'unfunded', 'not_found', 'unknown'],
  'payouts.cancel': ['cancelled', 'too_late', 'unknown'],
  'refunds.submit': ['pending', 'succeeded', 'failed', 'unavailable', 'unfunded', 'not_found', 'unknown'],
  'refunds.read': ['pending', 'succeeded', 'failed', 'unavailable', 'unfunded', 'not_found', 'unknown'],
  balance: ['held', 'unreadable'],
  lookup: ['found', 'not_found', 'unreadable'],
  callback: ['signed', 'hint', 'forged'],
} as const;

export type Method = keyof typeof KINDS;

/** A message is for logs and people: what a page says is cut. */
const MAX_MESSAGE = 300;
/** What a number may not show of itself in a message: seven digits in a row name a person. */
const PERSONAL = /\d{7,}/;

/** Fails unless this is a member of the method's union, whole and without a secret. @returns it */
export function checkOutcome<T extends { kind: string }>(method: Method, said: T, secrets: readonly string[]): T {
  const kinds: readonly string[] = KINDS[method];
  assert.ok(kinds.includes(said.kind), `${method} answered ${said.kind}`);
  const fields = said as Record<string, unknown>;
  const text = textOf(said);
  for (const secret of secrets) assert.ok(!text.includes(secret), `${method} tells a credential in ${said.kind}`);
  if ('message' in fields) {
    assert.equal(typeof fields.message, 'string');
    assert.ok(String(fields.message).length <= MAX_MESSAGE, `${method}: a message of ${String(fields.message).length}`);
    assert.doesNotMatch(String(fields.message), PERSONAL, `${method}: a message with somebody's number`);
  }
  if ('poll_after_ms' in fields) assert.ok(Number(fields.poll_after_ms) > 0 && Number.isFinite(fields.poll_after_ms));
  if ('amount_minor' in fields) assert.ok(typeof fields.amount_minor === 'bigint' && fields.amount_minor >= 0n);
  if ('currency' in fields) assert.match(String(fields.currency), /^[A-Z]{3}$/);
  for (const purse of (fields.floats ?? []) as Record<string, unknown>[]) {
    assert.equal(typeof purse.amount_minor, 'bigint');
    assert.match(String(purse.currency), /^[A-Z]{3}$/);
    if (purse.area !== undefined) assert.match(String(purse.area), /^[a-z]{2}(\.[a-z0-9-]+)?$/);
  }
  if (said.kind === 'succeeded') assert.ok(typeof fields.provider_ref === 'string' && fields.provider_ref !== '');
  return said;
}

function textOf(said: unknown): string {
  return JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}
