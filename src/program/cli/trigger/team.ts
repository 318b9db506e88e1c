import { readConfig } from '../../../platform/config/config.ts';
import { readKeysFile } from '../../start/demo.ts';
import { withDatabases, withPool } from '../databases.ts';
import { findPaymentAnywhere } from '../explain/store.ts';
import { Failure } from '../failure.ts';

/**
 * Returns the team of a sandbox payment, which cannot be derived from the key.
 * @throws Failure when the payment is not in the database of this machine
 */
export async function teamOfPayment(id: string): Promise<bigint> {
  const config = readConfig(process.env);
  // There is no database before the first start of a service, and none is created for the lookup.
  const ours = config.database_urls !== null || readKeysFile(config) !== undefined;
  const found = ours && (await withDatabases(config, (urls) => withPool(urls.sandbox, (db) => findPaymentAnywhere(db, id))));
  if (found) return found.team_id;
  throw new Failure(
    `${id} is not in the database of this machine`,
    'This needs the database too: run it where the service runs, with the settings of "npm start".',
  );
}
