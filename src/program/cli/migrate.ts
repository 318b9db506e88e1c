import { type DatabaseUrls, readConfig } from '../../platform/config/config.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { commandClock } from './command-clock.ts';
import { openSecrets } from '../start/secrets.ts';
import { withDatabases, withPool } from './databases.ts';
import { missingMigrations, type SchemaKind } from './migrations.ts';
import { print } from './output.ts';

const KINDS: readonly { name: 'control' | 'sandbox' | 'live'; kind: SchemaKind }[] = [
  { name: 'control', kind: 'control' },
  { name: 'sandbox', kind: 'store' },
  { name: 'live', kind: 'store' },
];

/**
 * Migrates all three databases to the newest schema, one after the other, because roles are shared by the whole server. Also
 * creates the installation's root secret, which the service's role cannot.
 */
export async function migrateCommand(options: { json?: true }): Promise<void> {
  const config = readConfig(process.env);
  const migrated = async (urls: DatabaseUrls) => {
    const done: { name: string; applied: string[] }[] = [];
    for (const { name, kind } of KINDS) {
      const applied = await withPool(urls[name], (db) => missingMigrations(db, kind));
      if (applied.length > 0) await migrate(urls[name], kind, name === 'control' ? {} : { environment: name });
      done.push({ name, applied });
    }
    await withPool(urls.control, (control) => openSecrets(config, control, new Date(commandClock.now())));
    return done;
  };
  const databases = await withDatabases(config, migrated, { create: true });
  print(options.json, { databases }, () =>
    databases.map(({ name, applied }) => `${name}: ${applied.join(', ') || 'nothing to do'}`).join('\n'),
  );
}
