import type { Environment } from '../../kit/environment.ts';
import type { AccountRow } from './schema.ts';

/** Returns an account as GET returns it and events contain it. */
export function presentAccount(environment: Environment, row: AccountRow) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    business_profile: row.business_profile,
    split: row.split,
    settlement: row.settlement,
    metadata: row.metadata,
    active: row.active,
    verification: row.verification,
    sandbox: environment === 'sandbox',
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Returns an account for a public key, which may be in page source: without the owner's contact details and destination. */
export function publicAccount(environment: Environment, row: AccountRow) {
  const { id, name, split, metadata, active, verification, sandbox, created_at, updated_at } = presentAccount(environment, row);
  return { id, name, split, metadata, active, verification, sandbox, created_at, updated_at };
}
