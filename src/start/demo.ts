import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { type Environment, ENVIRONMENTS } from '../kit/environment.ts';
import type { Queryable } from '../kit/sql.ts';
import type { KeyKind } from '../keys/caller.ts';
import { newKey, storeKey } from '../keys/service.ts';
import { createTeam, newTeamId } from '../teams/service.ts';
import { writeAtomically } from './secrets-key.ts';

/** DATA_DIR/keys.json: what a developer needs to make the first call. */
export interface KeysFile {
  base_url: string;
  team: string;
  sandbox: { public: string; secret: string };
  live: { public: string; secret: string };
}

const KINDS: readonly Exclude<KeyKind, 'restricted'>[] = ['public', 'secret'];

export function keysFilePath(config: Config): string {
  return path.join(config.data_dir, 'keys.json');
}

/** @returns undefined while no start has written it */
export function readKeysFile(config: Config): KeysFile | undefined {
  const file = keysFilePath(config);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as KeysFile) : undefined;
}

/**
 * Makes sure of the demo team and its keys. The file is written first and the database made to agree with it, so that
 * a start that dies in between loses nothing: the next one goes on from the file.
 */
export async function ensureDemoTeam(config: Config, control: Queryable, at: Date): Promise<KeysFile> {
  const keys = { ...(readKeysFile(config) ?? freshKeys()), base_url: config.public_url };
  writeAtomically(keysFilePath(config), `${JSON.stringify(keys, null, 2)}\n`, true);
  const team_id = BigInt(keys.team);
  await createTeam(control, { id: team_id, name: 'Demo shop', email: 'owner@demo.example' });
  for (const environment of ENVIRONMENTS) {
    for (const kind of KINDS) {
      await storeKey(
        control,
        keys[environment][kind],
        { team_id, environment, kind, scopes: [], allowed_ips: [], expires_at: null },
        at,
      );
    }
  }
  return keys;
}

function freshKeys(): Omit<KeysFile, 'base_url'> {
  const pair = (environment: Environment) => ({ public: newKey('public', environment), secret: newKey('secret', environment) });
  return { team: String(newTeamId()), sandbox: pair('sandbox'), live: pair('live') };
}
