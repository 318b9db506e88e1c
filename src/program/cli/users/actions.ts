import type { Command } from 'commander';
import { readConfig } from '../../../platform/config/config.ts';
import { Problem } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import type { Queryable, Tx } from '../../../kit/sql.ts';
import type { Actor } from '../../../tenants/audit/actor.ts';
import type { Action } from '../../../tenants/audit/actions.ts';
import { record } from '../../../tenants/audit/record.ts';
import { clearFactors } from '../../../tenants/people/factor-store.ts';
import { linkPath, makeLink } from '../../../tenants/people/links.ts';
import { queueUserMail } from '../../../tenants/people/mail-store.ts';
import { listUsers } from '../../../tenants/people/member-store.ts';
import { changeRole, invite, removeMember } from '../../../tenants/people/members.ts';
import type { Role } from '../../../tenants/people/roles.ts';
import type { UserRow } from '../../../tenants/people/schema.ts';
import { revokeSessions } from '../../../tenants/people/session-store.ts';
import {
  findUser,
  findUserByEmail,
  insertMembership,
  insertUser,
  listMemberships,
  listTeamsWithoutOwner,
  setDisabled,
} from '../../../tenants/people/store.ts';
import type { Team } from '../../../tenants/teams/schema.ts';
import { findTeam } from '../../../tenants/teams/store.ts';
import { openSecrets } from '../../start/secrets.ts';
import { administer } from '../administer.ts';
import { commandClock } from '../command-clock.ts';
import { withControl } from '../databases.ts';
import { Failure } from '../failure.ts';
import { firstOf, print, shortMoment, table } from '../output.ts';
import { noSuchTeam } from '../unknown.ts';

interface Output {
  json?: true;
}

type CreateOptions = Output & { email: string; name: string; team?: bigint; role?: Role; operator?: true };

/** Runs `pirogue users create`. */
export async function createUserCommand(options: CreateOptions, command: Command): Promise<void> {
  const { email, name, team, role, operator = false } = options;
  if ((team === undefined) !== (role === undefined)) command.error('error: --team and --role belong together');
  const at = commandClock.now();
  const id = newId('usr', 'live', at);
  const create = async (tx: Tx, by: Actor) => {
    if (!(await insertUser(tx, { id, email, name, password: null, locale: null, operator }))) {
      throw new Failure(`${email} belongs to a person already`, '"pirogue users list" shows them.');
    }
    await entry(tx, by, null, 'person.create', id);
    if (team === undefined || role === undefined) return;
    await knownTeam(tx, team);
    await insertMembership(tx, team, id, role);
    await entry(tx, by, team, 'person.join', id);
  };
  await administer(create, { create: true });
  print(
    options.json,
    { id, email, name, operator },
    () => `${id}

"pirogue users link ${id}" prints a link that signs ${name} in.`,
  );
}

/** Runs `pirogue users invite`. */
export async function inviteUserCommand(options: Output & { team: bigint; email: string; role: Role }): Promise<void> {
  const { team: team_id, email, role } = options;
  const at = commandClock.now();
  const id = await administer(async (tx, by) => {
    const team = await knownTeam(tx, team_id);
    const to = { email, role, team: team.name, inviter: null, language: null };
    return plainly(invite(tx, { team_id, user_id: null, by, at }, to));
  });
  print(
    options.json,
    { id, email, role, team: String(team_id) },
    () => `${email} is invited: a mail with a link is queued (7 days).`,
  );
}

type RolesOptions = Output & { team?: bigint; role?: Role; remove?: true };

/** Runs `pirogue users roles`. */
export async function rolesCommand(named: string, options: RolesOptions, command: Command): Promise<void> {
  const { team, role, remove } = options;
  const changes = role !== undefined || remove !== undefined;
  if (changes && (team === undefined || (role !== undefined && remove !== undefined))) {
    command.error('error: a change needs --team and one of --role and --remove');
  }
  const at = commandClock.now();
  const memberships = await (changes && team !== undefined
    ? administer(async (tx, by) => {
        const user = await knownUser(tx, named);
        await knownTeam(tx, team);
        await changeMembership(tx, { team_id: team, user_id: null, by, at }, user, role);
        return listMemberships(tx, user.id);
      })
    : withControl(async (control) => listMemberships(control, (await knownUser(control, named)).id)));
  print(
    options.json,
    memberships.map((one) => ({ ...one, team_id: String(one.team_id) })),
    () =>
      table(
        ['TEAM', 'NAME', 'ROLE'],
        memberships.map((one) => [String(one.team_id), one.team_name, one.role]),
      ),
  );
}

/**
 * Adds a person to a team, or changes their role.
 * @param role undefined: the person is removed
 */
async function changeMembership(
  tx: Tx,
  who: Parameters<typeof changeRole>[1],
  user: UserRow,
  role: Role | undefined,
): Promise<void> {
  const whom = { user_id: user.id, joined_at: null };
  if (role === undefined) return plainly(removeMember(tx, who, whom));
  if (await insertMembership(tx, who.team_id, user.id, role)) return entry(tx, who.by, who.team_id, 'person.join', user.id);
  return plainly(changeRole(tx, who, whom, role));
}

/** Runs `pirogue users link`. */
export async function linkCommand(named: string, options: Output): Promise<void> {
  const config = readConfig(process.env);
  const { console: address } = config;
  if (!address) throw new Failure('there is no console', 'Set CONSOLE_URL (docs/console.md).');
  const at = commandClock.now();
  const path = await administer(async (tx, by) => {
    const user = await knownUser(tx, named);
    if (user.disabled_at)
      throw new Failure(`${user.email} is disabled`, `"pirogue users enable ${user.id}" enables the person again.`);
    const link = { kind: 'sign_in', email: user.email, user_id: user.id, team_id: null, role: null, invited_by: null } as const;
    const id = await makeLink(tx, link, at);
    await entry(tx, by, null, 'person.link', user.id);
    return linkPath(await openSecrets(config, tx, new Date(at)), id);
  });
  const url = address.url + path;
  print(
    options.json,
    { url },
    () => `${url}\n\nIt works once, within 10 minutes. Whoever has it is signed in: do not send it by mail or chat.`,
  );
}

const SWITCHES = {
  disable: { action: 'person.disable', text: 'is disabled, and every session has ended.' },
  enable: { action: 'person.enable', text: 'is enabled.' },
  'clear-factors': { action: 'person.clear_factors', text: 'has no second factor any more, and every session has ended.' },
} as const;

/** Runs `pirogue users enable`, `disable` and `clear-factors`. */
export async function switchUserCommand(named: string, name: keyof typeof SWITCHES, options: Output): Promise<void> {
  const { action, text } = SWITCHES[name];
  const { user, ownerless } = await administer(async (tx, by) => {
    const known = await knownUser(tx, named);
    if (name === 'clear-factors') {
      await clearFactors(tx, known.id);
      const facts = {
        change: 'factors_cleared',
        at: new Date(commandClock.now()).toISOString(),
        language: known.locale,
      } as const;
      await queueUserMail(tx, { kind: 'security', facts, recipient: known.email });
    } else await setDisabled(tx, known.id, name === 'disable');
    if (name !== 'enable') await revokeSessions(tx, known.id);
    await entry(tx, by, null, action, known.id);
    // Not a rejection: somebody who does harm is disabled at once, whoever owns the team.
    return { user: known, ownerless: name === 'disable' ? await listTeamsWithoutOwner(tx, known.id) : [] };
  });
  const teams = name === 'disable' ? { teams_without_owner: ownerless.map(({ team_id }) => String(team_id)) } : {};
  print(options.json, { id: user.id, email: user.email, done: name, ...teams }, () => `${user.email} ${text}`);
  if (options.json) return;
  for (const { team_id, team_name } of ownerless) {
    const advice = `"pirogue users roles <user> --team ${team_id} --role owner" appoints one.`;
    console.error(`team ${team_id} (${team_name}) has no owner left who can sign in: ${advice}`);
  }
}

/** Runs `pirogue users list`. */
export async function listUsersCommand(options: Output & { team?: bigint; limit: number }): Promise<void> {
  const { team, limit } = options;
  const users = await withControl(async (control) => {
    if (team !== undefined) await knownTeam(control, team);
    return firstOf(await listUsers(control, team ?? null, limit + 1), limit);
  });
  print(options.json, users, () =>
    table(
      ['ID', 'E-MAIL', 'NAME', 'TEAMS', 'SECOND FACTOR', 'STATUS', 'CREATED'],
      users.map((user) => [
        ...[user.id, user.email, user.name, String(user.teams), user.second_factor ? 'yes' : 'no'],
        user.disabled_at ? 'disabled' : user.operator ? 'operator' : 'active',
        shortMoment(user.created_at),
      ]),
    ),
  );
}

function entry(tx: Tx, by: Actor, team_id: bigint | null, action: Action, resource_id: string): Promise<void> {
  return record(tx, by, { team_id, action, resource_id, at: commandClock.now() });
}

async function knownTeam(db: Queryable, id: bigint): Promise<Team> {
  const team = await findTeam(db, id);
  if (!team) throw noSuchTeam(id);
  return team;
}

async function knownUser(db: Queryable, named: string): Promise<UserRow> {
  const user = named.includes('@') ? await findUserByEmail(db, named) : await findUser(db, named);
  if (!user) throw new Failure(`there is no person ${named}`, '"pirogue users list" shows them.');
  return user;
}

/** Converts the rejection of a change to a failure of the command. */
async function plainly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Failure(error.message, '"pirogue users roles <user>" shows the roles of a person.', { cause: error });
  }
}
