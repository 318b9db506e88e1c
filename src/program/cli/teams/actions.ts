import type { Command } from 'commander';
import type { Action } from '../../../tenants/audit/actions.ts';
import type { Actor } from '../../../tenants/audit/actor.ts';
import { record } from '../../../tenants/audit/record.ts';
import { untilChangeIsKnown } from '../../../tenants/keys/service.ts';
import { commandClock } from '../command-clock.ts';
import { must } from '../../../kit/errors.ts';
import type { Tx } from '../../../kit/sql.ts';
import type { Plan, PublicKeys } from '../../../tenants/teams/schema.ts';
import { createTeam } from '../../../tenants/teams/service.ts';
import { changeTeam, findTeam, listTeams, type TeamChanges, type TeamRow } from '../../../tenants/teams/store.ts';
import { administer } from '../administer.ts';
import { withControl } from '../databases.ts';
import { details, firstOf, print, shortMoment, table } from '../output.ts';
import { noSuchTeam } from '../unknown.ts';

interface Output {
  json?: true;
}

/** Runs `pirogue teams create`. */
export async function createTeamCommand(
  options: Output & { name: string; email: string; plan: Plan; currency: string },
): Promise<void> {
  const { name, email, plan, currency } = options;
  const create = async (tx: Tx, by: Actor) => {
    const { id } = await createTeam(tx, { name, email, plan, default_currency: currency });
    await record(tx, by, { team_id: id, action: 'team.create', resource_id: String(id), at: commandClock.now() });
    return must(await findTeam(tx, id), 'a team made just now is there');
  };
  // The first team may be created before the first start of the service.
  show(options, await administer(create, { create: true }));
}

/** Runs `pirogue teams list`. */
export async function listTeamsCommand(options: Output & { limit: number }): Promise<void> {
  const teams = firstOf(await withControl((control) => listTeams(control, options.limit + 1)), options.limit);
  print(options.json, teams.map(presented), () =>
    table(
      ['ID', 'NAME', 'EMAIL', 'PLAN', 'LEVEL', 'CURRENCY', 'CREATED'],
      teams.map((team) => [
        String(team.id),
        team.name,
        team.email,
        team.plan,
        String(team.verification_level),
        team.default_currency,
        shortMoment(team.created_at),
      ]),
    ),
  );
}

type SetOptions = Output & {
  plan?: Plan;
  name?: string;
  email?: string;
  currency?: string;
  uniqueReferences?: 'on' | 'off';
  hostedRetry?: 'on' | 'off';
  apiVersion?: string;
  publicKeys?: PublicKeys;
  address?: string;
  taxId?: string;
};

/** Runs `pirogue teams set`. */
export async function setTeamCommand(id: bigint, options: SetOptions, command: Command): Promise<void> {
  const { json: _, uniqueReferences, hostedRetry, currency, apiVersion, publicKeys, taxId, ...same } = options;
  const changes: TeamChanges = {
    ...same,
    ...(currency === undefined ? {} : { default_currency: currency }),
    ...(uniqueReferences === undefined ? {} : { unique_references: uniqueReferences === 'on' }),
    ...(taxId === undefined ? {} : { tax_id: taxId }),
    ...(apiVersion === undefined ? {} : { api_version: apiVersion }),
    ...(hostedRetry === undefined ? {} : { hosted_retry: hostedRetry === 'on' }),
    ...(publicKeys === undefined ? {} : { public_keys: publicKeys }),
  };
  if (Object.keys(changes).length === 0) command.error('error: nothing to change: give at least one option');
  show(options, await changed(id, changes, 'team.update'));
}

/** Runs `pirogue teams verify`. */
export async function verifyTeamCommand(id: bigint, options: Output & { level: number }): Promise<void> {
  show(options, await changed(id, { verification_level: options.level }, 'team.verify'));
}

async function changed(id: bigint, changes: TeamChanges, action: Action): Promise<TeamRow> {
  const team = await administer(async (tx, by) => {
    const after = await changeTeam(tx, id, changes);
    if (after) await record(tx, by, { team_id: id, action, resource_id: String(id), at: commandClock.now() });
    return after;
  });
  if (!team) throw noSuchTeam(id);
  await untilChangeIsKnown();
  return team;
}

function presented(team: TeamRow) {
  return { ...team, id: String(team.id) };
}

function show({ json }: Output, team: TeamRow): void {
  print(json, presented(team), () =>
    details({
      id: String(team.id),
      name: team.name,
      email: team.email,
      plan: team.plan,
      level: String(team.verification_level),
      currency: team.default_currency,
      references: team.unique_references ? 'unique' : 'free',
      version: team.api_version,
      'hosted retry': team.hosted_retry ? 'on' : 'off',
      'public keys': team.public_keys,
      ...(team.address === null ? {} : { address: team.address.replaceAll('\n', ', ') }),
      ...(team.tax_id === null ? {} : { 'tax id': team.tax_id }),
      created: shortMoment(team.created_at),
    }),
  );
}
