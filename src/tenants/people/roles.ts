import type { Environment } from '../../kit/environment.ts';
import { SCOPES, type Scope } from '../keys/scopes.ts';

/** Roles of a person in a team, the most powerful first. */
export const ROLES = ['owner', 'admin', 'developer', 'finance', 'support', 'read_only'] as const;

export type Role = (typeof ROLES)[number];

/** Permissions of the console besides the scopes of the API. */
export const CONSOLE_PERMISSIONS = [
  'key.read',
  'key.write',
  'person.read',
  'person.write',
  'owner.write',
  'setting.read',
  'setting.write',
  'approval.read',
  'approval.write',
  'audit.read',
  'request_log.read',
] as const;

export type ConsolePermission = (typeof CONSOLE_PERMISSIONS)[number];

/** A scope of the API, which a person needs for the same actions as a restricted key, or a permission of the console. */
export type Permission = Scope | ConsolePermission;

export const PERMISSIONS: readonly Permission[] = [...SCOPES, ...CONSOLE_PERMISSIONS];

/** Environments in which a role has a permission. */
type Extent = 'both' | 'sandbox';

type Grants = Partial<Record<Permission, Extent>>;

const READS = PERMISSIONS.filter((name) => name.endsWith('.read'));

/** Permissions of every member: reading payments and related resources. */
const VIEW: Grants = all(READS.filter((name) => !['key.read', 'audit.read', 'request_log.read'].includes(name)));

/** Permissions to move money out, or to commit the team to it. */
const MONEY: readonly Permission[] = ['refund.write', 'transfer.write', 'beneficiary.write', 'approval.write'];
const SALES: readonly Permission[] = ['payment.write', 'invoice.write', 'link.write', 'customer.write', 'payment_method.write'];
const TECHNICAL: readonly Permission[] = [
  'key.read',
  'key.write',
  'webhook.write',
  'event.write',
  'request_log.read',
  'identity.write',
];

/**
 * The table of roles and permissions; test/golden/roles.txt shows it whole. Developers build in the sandbox: there they may do
 * everything; in live they cannot move money, nor make a key that could.
 */
const TABLE: Readonly<Record<Role, Grants>> = {
  owner: all(PERMISSIONS),
  admin: all(PERMISSIONS.filter((name) => name !== 'owner.write')),
  developer: { ...all([...SCOPES, 'key.write'], 'sandbox'), ...VIEW, ...all(TECHNICAL), ...all(['audit.read']) },
  finance: { ...VIEW, ...all(MONEY), ...all(SALES), ...all(['dispute.write', 'account.write', 'audit.read', 'identity.write']) },
  support: { ...VIEW, ...all(SALES), ...all(['refund.write', 'dispute.write', 'event.write']) },
  read_only: VIEW,
};

function all(names: readonly Permission[], extent: Extent = 'both'): Grants {
  return Object.fromEntries(names.map((name) => [name, extent]));
}

/** Returns whether the value is the name of a role. */
export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text);
}

/** Returns whether a role has a permission in an environment. */
export function isPermitted(role: Role, permission: Permission, environment: Environment): boolean {
  const extent = TABLE[role][permission];
  return extent === 'both' || extent === environment;
}

/** Returns the scopes of the API that a role has in an environment. */
export function scopesOf(role: Role, environment: Environment): Scope[] {
  return SCOPES.filter((scope) => isPermitted(role, scope, environment));
}
