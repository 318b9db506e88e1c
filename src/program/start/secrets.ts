import { randomBytes } from 'node:crypto';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { Secrets } from '../../kit/crypto.ts';
import { must } from '../../kit/errors.ts';
import { open, SealError, seal, sealedPlace } from '../../kit/sealing.ts';
import { pgCode, type Queryable } from '../../kit/sql.ts';
import { sealingKeysOf } from './secrets-key.ts';
import { findRoot, insertRoot } from './secrets-store.ts';

const ROOT_BYTES = 32;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Opens the installation's secrets: its keys from SECRETS_KEY or the key file, its root from the control database. The first
 * caller that connects as the owner creates the root: `migrate`, before any process of the service starts.
 * @throws ConfigError when there is no root and the login may not create it
 * @throws ConfigError when the keys do not belong to this installation: failing is better than creating a second set of
 *   secrets
 */
export async function openSecrets(config: Config, control: Queryable, at: Date): Promise<Secrets> {
  const place = sealedPlace('installation_secrets.value_sealed', 0n, 'root');
  const found = await findRoot(control);
  const keys = sealingKeysOf(config, found === undefined);
  if (found === undefined) {
    await insertRoot(control, seal(keys.current(), randomBytes(ROOT_BYTES).toString('base64'), place), at).catch(refuseService);
  }
  const sealed = found ?? must(await findRoot(control), 'it was just made sure of');
  try {
    return new Secrets(Buffer.from(open(keys, sealed, place), 'base64'), keys);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const where = config.secrets_keys ? 'SECRETS_KEY' : 'secrets.key in DATA_DIR';
    throw new ConfigError(`${where} cannot open this installation's secrets: ${error.message}`, { cause: error });
  }
}

function refuseService(error: unknown): never {
  if (pgCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
  throw new ConfigError(
    'the control database has no root secret yet and this login may not create it: run "pirogue migrate" (or npm start -- migrate) once, as the owner of the databases and with the same SECRETS_KEY',
    { cause: error },
  );
}
