import { fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { Brand, PayerLanguage, Seller, Team } from './schema.ts';

export type TeamRow = Team & Seller & Brand & PayerLanguage & { created_at: Date };

/** The columns of a {@link TeamRow}. */
const columns = fixed(`id, name, email, plan, verification_level, default_currency, unique_references, hosted_retry, api_version,
  public_keys, address, tax_id, brand_color, payer_language, payer_language_always, created_at`);

/** Inserts a team unless its id exists. @returns number of inserted rows */
export function insertTeam(db: Queryable, team: Team): Promise<number> {
  return db.run(sql`
    insert into teams (id, name, email, plan, verification_level, default_currency, unique_references, hosted_retry,
      api_version, public_keys)
    values (${team.id}, ${team.name}, ${team.email}, ${team.plan}, ${team.verification_level}, ${team.default_currency},
      ${team.unique_references}, ${team.hosted_retry}, ${team.api_version}, ${team.public_keys})
    on conflict (id) do nothing`);
}

/** Returns a team by id. */
export function findTeam(db: Queryable, id: bigint): Promise<TeamRow | undefined> {
  return db.maybe<TeamRow>(sql`
    select ${columns}
    from teams where id = ${id}`);
}

/** Returns a team by id. Until the caller's transaction ends, nothing else changes it. */
export function lockTeam(tx: Tx, id: bigint): Promise<TeamRow | undefined> {
  return tx.maybe<TeamRow>(sql`
    select ${columns}
    from teams where id = ${id} for no key update`);
}

/** Lists teams, newest first. */
export function listTeams(db: Queryable, limit: number): Promise<TeamRow[]> {
  return db.all(sql`
    select ${columns}
    from teams order by created_at desc, id limit ${limit}`);
}

/**
 * Updates a team.
 * @returns false when there is no such team
 */
export async function updateTeam(db: Queryable, team: Team): Promise<boolean> {
  return (
    (await db.run(sql`
    update teams set name = ${team.name}, email = ${team.email}, plan = ${team.plan}, verification_level = ${team.verification_level},
      default_currency = ${team.default_currency}, unique_references = ${team.unique_references}, hosted_retry = ${team.hosted_retry},
      api_version = ${team.api_version}, public_keys = ${team.public_keys}, updated_at = pirogue_now()
    where id = ${team.id}`)) === 1
  );
}

/** Changes to a team; absent fields stay unchanged. An empty address or tax id removes it. */
export type TeamChanges = Partial<Omit<Team, 'id'> & { [Field in keyof Seller]: string }>;

/**
 * Changes a team in one statement, so that concurrent changes of different fields are both kept.
 * @returns undefined when there is no such team
 */
export function changeTeam(db: Queryable, id: bigint, changes: TeamChanges): Promise<TeamRow | undefined> {
  const { name, email, plan, verification_level, default_currency, unique_references, hosted_retry, ...other } = changes;
  const { api_version, public_keys, address, tax_id } = other;
  return db.maybe<TeamRow>(sql`
    update teams set name = coalesce(${name}, name), email = coalesce(${email}, email), plan = coalesce(${plan}, plan),
      verification_level = coalesce(${verification_level}, verification_level),
      default_currency = coalesce(${default_currency}, default_currency),
      unique_references = coalesce(${unique_references}, unique_references),
      hosted_retry = coalesce(${hosted_retry}, hosted_retry),
      api_version = coalesce(${api_version}, api_version), public_keys = coalesce(${public_keys}, public_keys),
      address = nullif(coalesce(${address}, address), ''), tax_id = nullif(coalesce(${tax_id}, tax_id), ''),
      updated_at = pirogue_now()
    where id = ${id}
    returning ${columns}`);
}

/** What a team's own people may change. */
export type TeamSettings = Pick<
  Team,
  'name' | 'email' | 'default_currency' | 'unique_references' | 'hosted_retry' | 'public_keys'
> &
  Seller;

/** Changes the settings of a team. The service may update no other columns than these, the colour and the language. */
export async function changeSettings(db: Queryable, id: bigint, settings: TeamSettings): Promise<void> {
  const { name, email, default_currency, unique_references, hosted_retry, public_keys, address, tax_id } = settings;
  await db.run(sql`
    update teams set name = ${name}, email = ${email}, default_currency = ${default_currency}, unique_references = ${unique_references},
      hosted_retry = ${hosted_retry}, public_keys = ${public_keys}, address = ${address}, tax_id = ${tax_id},
      updated_at = pirogue_now()
    where id = ${id}`);
}

/** Sets the colour of a team's pages for payers; null: ours. */
export async function setBrandColor(db: Queryable, id: bigint, color: Brand['brand_color']): Promise<void> {
  await db.run(sql`update teams set brand_color = ${color}, updated_at = pirogue_now() where id = ${id}`);
}

/** Sets the language of a team's pages and mails for payers. */
export async function setPayerLanguage(db: Queryable, id: bigint, language: PayerLanguage): Promise<void> {
  const { payer_language, payer_language_always } = language;
  await db.run(sql`
    update teams set payer_language = ${payer_language}, payer_language_always = ${payer_language_always}, updated_at = pirogue_now()
    where id = ${id}`);
}

/** Returns the team settings that affect a live charge. */
export function findChargeTerms(
  db: Queryable,
  id: bigint,
): Promise<(Pick<Team, 'verification_level'> & { abuse_rules: boolean }) | undefined> {
  return db.maybe(sql`select verification_level, abuse_rules from teams where id = ${id}`);
}

/**
 * Turns the fraud screening of a team's charges on or off.
 * @returns false when there is no such team
 */
export async function setAbuseRules(db: Queryable, id: bigint, on: boolean): Promise<boolean> {
  return (await db.run(sql`update teams set abuse_rules = ${on}, updated_at = pirogue_now() where id = ${id}`)) === 1;
}

/**
 * Returns whether the team's charges are screened for fraud.
 * @returns undefined when there is no such team
 */
export async function findTeamRules(db: Queryable, id: bigint): Promise<boolean | undefined> {
  return (await findChargeTerms(db, id))?.abuse_rules;
}

/**
 * Returns the ids of all teams, in order.
 * @param after id after which to start
 */
export async function findTeamIds(db: Queryable, after: bigint, limit: number): Promise<bigint[]> {
  const rows = await db.all<{ id: bigint }>(sql`select id from teams where id > ${after} order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Returns the teams whose charges are screened for fraud, ordered by id.
 * @param after id after which to start
 */
export async function findGuardedTeams(db: Queryable, after: bigint, limit: number): Promise<bigint[]> {
  const rows = await db.all<{ id: bigint }>(
    sql`select id from teams where abuse_rules and id > ${after} order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
