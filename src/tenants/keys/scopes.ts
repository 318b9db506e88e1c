/** Resources a restricted key can be granted, separately for reading and writing; write does not imply read. */
export const RESOURCES = [
  'payment',
  'refund',
  'transfer',
  'beneficiary',
  'balance',
  'customer',
  'payment_method',
  'webhook',
  'event',
  'invoice',
  'link',
  'account',
  'dispute',
  'identity',
  'resource',
] as const;

export type Scope = `${(typeof RESOURCES)[number]}.${'read' | 'write'}`;

export const SCOPES: readonly Scope[] = RESOURCES.flatMap((name) => [`${name}.read`, `${name}.write`] as const);

/** Returns whether the text is the name of a scope. */
export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** What a public key may do at most, in scopes (docs/keys.md). */
export const PUBLIC_SCOPES: readonly Scope[] = [
  'payment.read',
  'payment.write',
  'account.read',
  'account.write',
  'resource.read',
];
