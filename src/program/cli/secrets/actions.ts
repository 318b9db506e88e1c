import { sealControl } from '../../../tenants/audit/chains.ts';
import { record } from '../../../tenants/audit/record.ts';
import { type Config, readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import type { SealingKeys } from '../../../kit/sealing.ts';
import type { Db, Queryable, Tx } from '../../../kit/sql.ts';
import { KeyFile } from '../../start/secrets-key.ts';
import { openSecrets } from '../../start/secrets.ts';
import { migrateFirst, withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { requireMigrations } from '../migrations.ts';
import { operator } from '../operator.ts';
import { print, table } from '../output.ts';
import { countValues, type Databases, type Resealed, resealAll } from './reseal.ts';
import { lockKeys } from './store.ts';

/**
 * After this time, a transaction that encrypted with an old key has committed or failed: statements are limited to 15
 * seconds.
 */
const SETTLED_MS = 600_000;

interface Output {
  json?: true;
}

interface SecretsContext {
  config: Config;
  databases: Databases;
  keys: SealingKeys;
}

/** Runs `pirogue secrets status`. */
export async function statusCommand(options: Output): Promise<void> {
  const { keys, source } = await withSecrets(async (context) => ({ keys: await standing(context), source: sourceOf(context) }));
  print(options.json, { source, keys }, () =>
    [
      table(
        ['KEY', 'STATE', 'VALUES'],
        keys.map(({ id, state, values }) => [id, state, String(values)]),
      ),
      '',
      ...adviceOn(keys, source),
    ].join('\n'),
  );
}

/** Runs `pirogue secrets rotate`. Exits with code 1 while values of another key are left. */
export async function rotateCommand(options: Output): Promise<void> {
  const report = (database: string, name: string, values: number) => {
    if (!options.json) console.error(`${database} ${name}: ${values} re-encrypted`);
  };
  const { made, done, keys, source } = await withSecrets(async (context) => {
    const found = context.keys.current().id;
    // Continues an earlier, interrupted run first. With nothing left to do, this run creates a new key, unless another run
    // has.
    let done = await resealAll(context.databases, context.keys, report);
    const made = done.values === 0 && (await makeKey(context, found));
    if (context.keys.current().id !== found) done = await resealAll(context.databases, context.keys, report);
    else if (done.values > 0)
      await changeKeys(context.databases.control, 'secrets.rotate', async () => [context.keys.current().id]);
    return { made, done, keys: await standing(context), source: sourceOf(context) };
  });
  const { unopened, unopened_count } = done;
  print(
    options.json,
    {
      source,
      key_made: made,
      values_sealed: done.values,
      values_left: done.left,
      unopened_count,
      unopened,
      keys,
    },
    () => [summary(made, done, source), ...unopened.map(describe), ...adviceOn(keys, source)].join('\n'),
  );
  process.exitCode = done.left === 0 ? 0 : 1;
}

/** Runs `pirogue secrets prune`. */
export async function pruneCommand(options: Output): Promise<void> {
  const dropped = await withSecrets(async (context) => {
    const { keys: file, databases } = context;
    if (!(file instanceof KeyFile)) {
      throw new Failure('the keys come from SECRETS_KEY', '"pirogue secrets status" shows which keys can be removed from it.');
    }
    return changeKeys(databases.control, 'secrets.prune', async (tx) => {
      const now = await standing({ keys: file, databases: { ...databases, control: tx } });
      const idle = now.filter(({ state, values }) => state === 'opens' && values === 0).map(({ id }) => id);
      if (idle.length > 0 && commandClock.now() - file.changedAt() < SETTLED_MS) {
        throw new Failure('the keys were changed a moment ago', 'Wait ten minutes: a transaction may still use an old key.');
      }
      if (idle.length > 0) file.drop(idle);
      return idle;
    });
  });
  print(options.json, { dropped }, () => (dropped.length === 0 ? 'Every key is in use.' : `Removed: ${dropped.join(', ')}.`));
}

/**
 * Opens the three databases and the keys for `work`. Checks that the keys are those of this installation.
 * @throws Failure when a database lacks migrations
 */
function withSecrets<T>(work: (context: SecretsContext) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  return withDatabases(config, (urls) =>
    withPool(urls.control, (control) =>
      withPool(urls.sandbox, (sandbox) =>
        withPool(urls.live, async (live) => {
          await migrateFirst(config, urls, control);
          await requireMigrations(control, 'control');
          await requireMigrations(sandbox, 'sandbox');
          await requireMigrations(live, 'live');
          const { keys } = await openSecrets(config, control, new Date(commandClock.now()));
          return work({ config, databases: { control, sandbox, live }, keys });
        }),
      ),
    ),
  );
}

/**
 * Creates a new key.
 * @param found id of the current key when this run began. If another key is current now, a concurrent run has created it
 * @returns false when none was created, also when the keys come from the environment, which only the operator can change
 */
async function makeKey({ keys, databases }: SecretsContext, found: string): Promise<boolean> {
  if (!(keys instanceof KeyFile)) return false;
  const made = await changeKeys(databases.control, 'secrets.rotate', async () => {
    if (keys.current().id !== found) return [];
    keys.add();
    return [keys.current().id];
  });
  return made.length > 0;
}

/**
 * Changes the keys under a lock, also where several machines share the file, and writes an audit entry for each changed key.
 * @param change returns the ids of the changed keys
 */
async function changeKeys(
  control: Db,
  action: 'secrets.rotate' | 'secrets.prune',
  change: (tx: Tx) => Promise<string[]>,
): Promise<string[]> {
  const changed = await control.transaction(async (tx) => {
    await lockKeys(tx);
    const ids = await change(tx);
    for (const id of ids) await record(tx, operator(), { team_id: null, action, resource_id: id, at: commandClock.now() });
    return ids;
  });
  await sealControl(control);
  return changed;
}

type Source = 'file' | 'environment';

function sourceOf({ config }: SecretsContext): Source {
  return config.secrets_keys ? 'environment' : 'file';
}

interface Standing {
  id: string;
  /** `missing`: it has encrypted values but is not among the configured keys. */
  state: 'seals' | 'opens' | 'missing';
  values: number;
}

async function standing({
  keys,
  databases,
}: {
  keys: SealingKeys;
  databases: Record<keyof Databases, Queryable>;
}): Promise<Standing[]> {
  const counts = await countValues(databases);
  const known = keys.ids();
  return [
    ...known.map((id, i) => ({ id, state: i === 0 ? ('seals' as const) : ('opens' as const), values: counts.get(id) ?? 0 })),
    ...[...counts].filter(([id]) => !known.includes(id)).map(([id, values]) => ({ id, state: 'missing' as const, values })),
  ];
}

function summary(made: boolean, done: Resealed, source: Source): string {
  const sealed = `${done.values} values were re-encrypted`;
  if (made) return `A new key is in use from now on; ${sealed}.`;
  if (done.values > 0) return `${sealed} under the current key.`;
  return source === 'file'
    ? 'Nothing was left to re-encrypt.'
    : `All values that can be opened use the first key of SECRETS_KEY. To change to a new key:
  1. openssl rand -base64 32
  2. set SECRETS_KEY=<present>,<new> and restart every process: then all of them can open values of both keys
  3. set SECRETS_KEY=<new>,<present> and restart every process
  4. run this again`;
}

function describe({ database, table: name, id, reason }: Resealed['unopened'][number]): string {
  return `${database} ${name} ${id} cannot be opened: ${reason}`;
}

function adviceOn(keys: readonly Standing[], source: Source): string[] {
  const of = (state: Standing['state'], idle: boolean) =>
    keys.filter((key) => key.state === state && (key.values === 0) === idle).map(({ id }) => id);
  const [idle, busy, missing] = [of('opens', true), of('opens', false), of('missing', false)];
  const way =
    source === 'file' ? '"pirogue secrets prune" removes them after ten minutes' : 'they can be removed from SECRETS_KEY';
  return [
    ...(idle.length > 0 ? [`No longer in use: ${idle.join(', ')}. ${way}. Older backups need them: keep them with those.`] : []),
    ...(busy.length > 0 ? [`Still needed: ${busy.join(', ')}. "pirogue secrets rotate" re-encrypts their values.`] : []),
    ...(missing.length > 0 ? [`Missing keys: ${missing.join(', ')}. Their values cannot be opened.`] : []),
  ];
}
