import type { Command } from 'commander';
import { record } from '../../../tenants/audit/record.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import { type Environment, ENVIRONMENTS } from '../../../kit/environment.ts';
import { isId } from '../../../kit/ids.ts';
import type { KeyKind } from '../../../tenants/keys/caller.ts';
import type { Scope } from '../../../tenants/keys/scopes.ts';
import { createKey, keyState, untilChangeIsKnown } from '../../../tenants/keys/service.ts';
import { listKeys, revokeKey, switchKey } from '../../../tenants/keys/store.ts';
import { administer } from '../administer.ts';
import { demoTeamId } from '../demo-team.ts';
import { withControl } from '../databases.ts';
import { Failure } from '../failure.ts';
import { firstOf, print, shortMoment, table } from '../output.ts';
import { checkTeam } from '../unknown.ts';

interface CreateOptions {
  team?: bigint;
  environment: Environment;
  kind: KeyKind;
  scopes?: Scope[];
  allowIp?: string[];
  expiresAt?: Date;
  json?: true;
}

/** Runs `pirogue keys create`. */
export async function createKeyCommand(options: CreateOptions, command: Command): Promise<void> {
  const { environment, kind, scopes = [], allowIp = [], expiresAt = null } = options;
  if (kind === 'restricted' && scopes.length === 0)
    command.error('error: a restricted key needs --scopes; without scopes it has no permissions');
  if (kind !== 'restricted' && scopes.length > 0)
    command.error(`error: --scopes is for restricted keys; the permissions of a ${kind} key are fixed`);
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const at = commandClock.now();
  const key = await administer(async (tx, by) => {
    await checkTeam(tx, team_id);
    const wanted = { team_id, environment, kind, scopes, allowed_ips: allowIp, expires_at: expiresAt };
    const made = await createKey(tx, wanted, new Date(at));
    await record(tx, by, { team_id, action: 'key.create', resource_id: made.id, at });
    return made;
  });
  const { id, key: text, ...rest } = key;
  print(
    options.json,
    { id, key: text, ...presented(rest) },
    () => `${text}

It is shown only this once: store it now. "pirogue keys revoke ${id}" revokes it.`,
  );
}

/** Runs `pirogue keys list`. */
export async function listKeysCommand(options: { team?: bigint; limit: number; json?: true }): Promise<void> {
  const { team, limit } = options;
  const keys = await withControl(async (control) => {
    if (team !== undefined) await checkTeam(control, team);
    return firstOf(await listKeys(control, { team_id: team, limit: limit + 1 }), limit);
  });
  const now = commandClock.now();
  print(
    options.json,
    keys.map((key) => ({ ...presented(key), status: keyState(key, now) })),
    () =>
      table(
        ['ID', 'TEAM', 'ENVIRONMENT', 'KIND', 'ENDS IN', 'STATUS', 'EXPIRES', 'CREATED'],
        keys.map((key) => [
          key.id,
          String(key.team_id),
          key.environment,
          key.kind,
          key.last4,
          keyState(key, now),
          shortMoment(key.expires_at),
          shortMoment(key.created_at),
        ]),
      ),
  );
}

/** Runs `pirogue keys revoke`. */
export async function revokeKeyCommand(id: string, options: { json?: true }, command: Command): Promise<void> {
  checkId(id, command);
  const at = commandClock.now();
  const key = await administer(async (tx, by) => {
    const revoked = await revokeKey(tx, id, new Date(at));
    if (revoked) await record(tx, by, { team_id: revoked.team_id, action: 'key.revoke', resource_id: id, at });
    return revoked;
  });
  if (!key) throw noSuchKey(id);
  await untilChangeIsKnown();
  print(options.json, { ...presented(key), status: 'revoked' }, () => `${id} is revoked: no node accepts it any more.`);
}

/** Activates or deactivates a key. A deactivated key is rejected everywhere until it is activated again. */
export async function switchKeyCommand(id: string, active: boolean, options: { json?: true }, command: Command): Promise<void> {
  checkId(id, command);
  const at = commandClock.now();
  const key = await administer(async (tx, by) => {
    const switched = await switchKey(tx, id, active);
    const state = switched && keyState(switched, at);
    if (state === 'revoked') throw new Failure(`${id} is revoked permanently`, 'Create another with "pirogue keys create".');
    if (active && state === 'expired') throw new Failure(`${id} has expired`, 'Create another with "pirogue keys create".');
    const action = active ? 'key.activate' : 'key.deactivate';
    if (switched) await record(tx, by, { team_id: switched.team_id, action, resource_id: id, at });
    return switched;
  });
  if (!key) throw noSuchKey(id);
  await untilChangeIsKnown();
  print(options.json, { ...presented(key), status: keyState(key, commandClock.now()) }, () =>
    active
      ? `${id} is accepted again.`
      : `${id} is inactive: no node accepts it any more. "pirogue keys activate ${id}" reactivates it.`,
  );
}

/** Validates an id. The parser does not, because it would print the text, which may be the key itself. */
function checkId(id: string, command: Command): void {
  if (ENVIRONMENTS.some((environment) => isId('key', environment, id))) return;
  command.error('error: this is not the id of a key (key_… or key_test_…): "pirogue keys list" shows them');
}

function noSuchKey(id: string): Failure {
  return new Failure(`there is no key ${id}`, '"pirogue keys list" shows them.');
}

function presented<Key extends { team_id: bigint }>(key: Key) {
  return { ...key, team_id: String(key.team_id) };
}
