import { readConfig } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { withDatabases, withPool } from './databases.ts';
import { missingMigrations, type SchemaKind } from './migrations.ts';
import { print } from './output.ts';

const KINDS: readonly { name: 'control' | 'sandbox' | 'live'; kind: SchemaKind }[] = [
  { name: 'control', kind: 'control' },
  { name: 'sandbox', kind: 'store' },
  { name: 'live', kind: 'store' },
];

/** Brings all three databases to the newest schema; one after the other, because roles belong to the whole server. */
export async function migrateCommand(options: { json?: true }): Promise<void> {
  const databases = await withDatabases(readConfig(process.env), async (urls) => {
    const done: { name: string; applied: string[] }[] = [];
    for (const { name, kind } of KINDS) {
      const applied = await withPool(urls[name], (db) => missingMigrations(db, kind));
      if (applied.length > 0) await migrate(urls[name], kind);
      done.push({ name, applied });
    }
    return done;
  });
  print(options.json, { databases }, () =>
    databases.map(({ name, applied }) => `${name}: ${applied.join(', ') || 'nothing to do'}`).join('\n'),
  );
}
