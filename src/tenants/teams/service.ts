import { randomInt } from 'node:crypto';
import type { Queryable } from '../../kit/sql.ts';
import { versions } from '../versions/registry.ts';
import type { Team } from './schema.ts';
import { insertTeam } from './store.ts';

export { findGuardedTeams as guardedTeams, findTeamIds as teamIds } from './store.ts';

/** Returns a random 48-bit number: see migrations/control/0001. */
export function newTeamId(): bigint {
  return BigInt(randomInt(2 ** 47, 2 ** 48 - 1));
}

export type NewTeam = Pick<Team, 'name' | 'email'> & Partial<Pick<Team, 'id' | 'plan' | 'default_currency'>>;

/** Creates an unverified team; default plan: the smallest. Creating a team with an existing id has no effect. */
export async function createTeam(db: Queryable, given: NewTeam): Promise<Team> {
  const team: Team = {
    id: newTeamId(),
    plan: 'starter',
    default_currency: 'XAF',
    ...given,
    verification_level: 0,
    unique_references: false,
    hosted_retry: false,
    api_version: versions.newest,
    public_keys: 'contract',
  };
  await insertTeam(db, team);
  return team;
}

const MAX_NAME = 200;

/** Returns a team's name without the spaces around it; null when the text is not a valid name. */
export function teamNameOf(text: string): string | null {
  const name = text.trim();
  return name !== '' && name.length <= MAX_NAME && !/\p{Cc}/u.test(name) ? name : null;
}

const MAX_ADDRESS = { characters: 500, lines: 8 };
const MAX_TAX_ID = 64;

/** Returns a postal address without empty lines and spaces around lines; null when the text is not valid. Empty text is valid. */
export function postalAddressOf(text: string): string | null {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const address = lines.join('\n');
  const fits = address.length <= MAX_ADDRESS.characters && lines.length <= MAX_ADDRESS.lines;
  return fits && !/[^\P{Cc}\n]/u.test(address) ? address : null;
}

/** Returns a tax identification number, as its country writes it, without the spaces around it; null when the text is not valid. */
export function taxIdOf(text: string): string | null {
  const id = text.trim();
  return id.length <= MAX_TAX_ID && !/\p{Cc}/u.test(id) ? id : null;
}
