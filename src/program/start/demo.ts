import fs from 'node:fs';
import path from 'node:path';
import { WORKER } from '../../tenants/audit/actor.ts';
import { sealControl } from '../../tenants/audit/chains.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Config } from '../../platform/config/config.ts';
import { must } from '../../kit/errors.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import type { Db, Tx } from '../../kit/sql.ts';
import type { KeyKind } from '../../tenants/keys/caller.ts';
import { newKey, storeKey } from '../../tenants/keys/service.ts';
import { createTeam, newTeamId } from '../../tenants/teams/service.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import { writeAtomically } from './secrets-key.ts';

/** Content of DATA_DIR/keys.json: what a developer needs for the first call. */
export interface KeysFile {
  base_url: string;
  team: string;
  sandbox: { public: string; secret: string };
  live: { public: string; secret: string };
}

const KINDS: readonly Exclude<KeyKind, 'restricted'>[] = ['public', 'secret'];

/** Returns the path of DATA_DIR/keys.json. */
export function keysFilePath(config: Config): string {
  return path.join(config.data_dir, 'keys.json');
}

/**
 * Reads DATA_DIR/keys.json.
 * @returns undefined when no start has written it
 */
export function readKeysFile(config: Config): KeysFile | undefined {
  const file = keysFilePath(config);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as KeysFile) : undefined;
}

/**
 * Creates the demo team and its keys unless they exist. The file is written first and the database updated to match it, so
 * that a start interrupted in between loses nothing: the next one continues from the file.
 * @param first whether the file shows the address of this process; another one that runs beside it leaves the file alone
 * @returns the keys with the address of this process
 */
export async function ensureDemoTeam(config: Config, control: Db, at: Date, first = true): Promise<KeysFile> {
  const base_url = config.public_url;
  if (!fs.existsSync(keysFilePath(config))) write(config, { ...freshKeys(), base_url }, false);
  const kept = must(readKeysFile(config), 'it was written above');
  const keys = { ...kept, base_url };
  if (first && kept.base_url !== base_url) write(config, keys, true);
  await control.transaction((tx) => storeDemoTeam(tx, keys, at));
  await sealControl(control);
  return keys;
}

function write(config: Config, keys: KeysFile, replace: boolean): void {
  writeAtomically(keysFilePath(config), `${JSON.stringify(keys, null, 2)}\n`, replace);
}

async function storeDemoTeam(tx: Tx, keys: KeysFile, at: Date): Promise<void> {
  const team_id = BigInt(keys.team);
  const known = await findTeam(tx, team_id);
  await createTeam(tx, { id: team_id, name: 'Demo shop', email: 'owner@demo.example' });
  for (const environment of ENVIRONMENTS) {
    for (const kind of KINDS) {
      const options = { team_id, environment, kind, scopes: [], allowed_ips: [], expires_at: null };
      const { id } = await storeKey(tx, keys[environment][kind], options, at);
      if (!known) await record(tx, WORKER, { team_id, action: 'key.create', resource_id: id, at: at.getTime() });
    }
  }
  if (!known) await record(tx, WORKER, { team_id, action: 'team.create', resource_id: String(team_id), at: at.getTime() });
}

function freshKeys(): Omit<KeysFile, 'base_url'> {
  const pair = (environment: Environment) => ({ public: newKey('public', environment), secret: newKey('secret', environment) });
  return { team: String(newTeamId()), sandbox: pair('sandbox'), live: pair('live') };
}
