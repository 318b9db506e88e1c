import type { TLocalizedValidationError } from 'typebox/error';
import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { newId } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Connector } from '../adapters/connector.ts';
import type { AccountRow, Costs } from './schema.ts';
import { credentialsPlace, insertAccount, updateCredentials } from './store.ts';

export { accountsAfter } from './store.ts';

export interface NewAccount {
  team_id: bigint;
  environment: Environment;
  connector: Connector;
  name: string;
  credentials: Record<string, string>;
  costs: Costs | null;
}

/**
 * Validates the credentials for an account in the environment.
 * @returns the faults, without the credentials' values; empty when they are valid
 */
export async function faultsOf(
  connector: Connector,
  environment: Environment,
  credentials: Record<string, string>,
): Promise<string[]> {
  const { Value } = await import('typebox/value'); // loaded on first use, because only this command needs its 300 files
  const known = Object.keys(connector.credentials.properties);
  const unknown = Object.keys(credentials).filter((name) => !known.includes(name));
  const missing = (connector.credentials.required ?? []).filter((name) => !credentials[name]);
  const errors = Value.Errors(connector.credentials, credentials);
  const wrong = errors.flatMap(({ instancePath, message }) => (instancePath ? [`${instancePath.slice(1)} ${message}`] : []));
  const faults = [
    ...missing.map((name) => `${name} is missing`),
    ...faultsOfWhole(errors),
    ...unknown.map((name) => `${name} is not a credential of this provider (known: ${known.join(', ')})`),
    ...wrong,
  ];
  const misplaced = faults.length === 0 ? connector.modeFault?.({ environment, credentials }) : null;
  return misplaced ? [misplaced] : faults;
}

/** Returns the faults that concern no single credential. The credentials that the schema requires in any case are reported on their own. */
function faultsOfWhole(errors: readonly TLocalizedValidationError[]): string[] {
  const whole = errors.filter(({ instancePath }) => instancePath === '');
  // A branch of `anyOf` reports what it requires, under its own path.
  const alternatives = whole.flatMap((error) =>
    error.keyword === 'required' && error.schemaPath !== '#' ? [error.params.requiredProperties.join(' and ')] : [],
  );
  if (alternatives.length > 0) return [`${alternatives.join(' or ')} is missing`];
  return whole.flatMap(({ keyword, message }) => (keyword === 'required' ? [] : [`the credentials ${message}`]));
}

/**
 * Encrypts the credentials and stores the account.
 * @returns null when the team already has an account of that name in the environment
 */
export async function addAccount(db: Queryable, secrets: Secrets, wanted: NewAccount, now: Date): Promise<AccountRow | null> {
  const { team_id, environment, connector, name, credentials, costs } = wanted;
  const row: AccountRow = {
    id: newId('pa', environment, now.getTime()),
    team_id,
    environment,
    provider: connector.name,
    name,
    active: true,
    costs,
    created_at: now,
    updated_at: now,
  };
  const sealed = { ...row, credentials_sealed: sealCredentials(secrets, row, credentials) };
  return (await insertAccount(db, sealed)) ? row : null;
}

/**
 * Encrypts the credentials and stores them instead of the present ones, which need not be readable.
 * @returns undefined when there is no such account
 */
export function replaceCredentials(
  db: Queryable,
  secrets: Secrets,
  account: Pick<AccountRow, 'team_id' | 'id'>,
  credentials: Record<string, string>,
  now: Date,
): Promise<AccountRow | undefined> {
  return updateCredentials(db, account.id, sealCredentials(secrets, account, credentials), now);
}

function sealCredentials(
  secrets: Secrets,
  account: Pick<AccountRow, 'team_id' | 'id'>,
  credentials: Record<string, string>,
): string {
  return secrets.seal(JSON.stringify(credentials), credentialsPlace(account));
}
