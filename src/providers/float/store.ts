import { jsonText } from '../../kit/json.ts';
import { allOf, BY_KEY, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { AlertRow, FloatRow, PollRow } from './schema.ts';

const columns = fixed('team_id, account_id, currency, area, use, amount_minor, read_at');

/** An account that can be polled. */
export type AccountRef = Pick<FloatRow, 'team_id' | 'account_id'>;

/** Claims the accounts last polled before `before`. With several workers, each account is claimed by only one. */
export function claimPolls(db: Queryable, refs: readonly AccountRef[], now: Date, before: Date): Promise<AccountRef[]> {
  return db.all<AccountRef>(sql`
    insert into float_polls (team_id, account_id, asked_at)
    select team_id, account_id, ${now}::timestamptz
    from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.account_id)}::text[]) as a (team_id, account_id)
    order by team_id, account_id
    on conflict (team_id, account_id) do update set asked_at = excluded.asked_at where float_polls.asked_at <= ${before}
      or float_polls.asked_at > ${now}
    returning team_id, account_id`);
}

/** Stores the balances of an account, unless a later response is already stored, and deletes wallets it no longer reports. */
export async function writeFloats(tx: Tx, { team_id, account_id }: AccountRef, rows: readonly FloatRow[], read_at: Date) {
  await tx.run(sql`
    insert into floats (team_id, account_id, currency, area, use, amount_minor, read_at)
    select team_id, account_id, currency, area, use, amount_minor, read_at from json_to_recordset(${jsonText(rows)}::json)
      as f(team_id bigint, account_id text, currency text, area text, use text, amount_minor bigint, read_at timestamptz)
    on conflict (team_id, account_id, currency, area, use) do update
      -- No response is late by a minute. One that seems to be was read before the clock of the database was set back.
      set amount_minor = excluded.amount_minor, read_at = excluded.read_at
      where floats.read_at <= excluded.read_at or floats.read_at > excluded.read_at + interval '1 minute'`);
  await tx.run(sql`delete from floats where team_id = ${team_id} and account_id = ${account_id} and read_at < ${read_at}`);
  await tx.run(sql`
    update float_polls set read_at = greatest(read_at, ${read_at}), error = null
    where team_id = ${team_id} and account_id = ${account_id}`);
}

/** Deletes the stored balances of accounts. Rows that another worker has locked are left to its change or to the next round. */
export async function deleteFloats(db: Queryable, refs: readonly AccountRef[]): Promise<void> {
  if (refs.length === 0) return;
  await db.run(sql`
    delete from floats where (team_id, account_id, currency, area, use) in (
      select f.team_id, f.account_id, f.currency, f.area, f.use
      from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.account_id)}::text[]) as a (team_id, account_id)
        join floats f on f.team_id = a.team_id and f.account_id = a.account_id
      for update of f skip locked
    )${BY_KEY}`);
}

/** Stores the error of a failed poll. */
export async function writePollError(db: Queryable, { team_id, account_id }: AccountRef, error: string): Promise<void> {
  await db.run(sql`update float_polls set error = ${error} where team_id = ${team_id} and account_id = ${account_id}`);
}

/**
 * Returns the stored balances.
 * @param account_id when omitted, of all the team's accounts
 */
export function floatsOf(db: Queryable, team_id: bigint, account_id?: string): Promise<FloatRow[]> {
  return db.all<FloatRow>(sql`
    select ${columns} from floats where ${ofAccount(team_id, account_id)} order by account_id, currency, area, use`);
}

/**
 * Returns the alerts.
 * @param account_id when omitted, of all the team's accounts
 */
export function alertsOf(db: Queryable, team_id: bigint, account_id?: string): Promise<AlertRow[]> {
  return db.all<AlertRow>(sql`
    select team_id, account_id, currency, area, below_minor from float_alerts where ${ofAccount(team_id, account_id)}
    order by account_id, currency, area`);
}

/** Returns the last poll of each of the team's accounts. */
export function pollsOf(db: Queryable, team_id: bigint): Promise<PollRow[]> {
  return db.all<PollRow>(sql`
    select team_id, account_id, asked_at, read_at, error from float_polls where team_id = ${team_id} order by account_id`);
}

function ofAccount(team_id: bigint, account_id: string | undefined) {
  return allOf([part`team_id = ${team_id}`, ...(account_id === undefined ? [] : [part`account_id = ${account_id}`])]);
}

/** Inserts or updates an alert. */
export async function upsertAlert(tx: Tx, row: AlertRow): Promise<void> {
  await tx.run(sql`
    insert into float_alerts (team_id, account_id, currency, area, below_minor)
    values (${row.team_id}, ${row.account_id}, ${row.currency}, ${row.area}, ${row.below_minor})
    on conflict (team_id, account_id, currency, area) do update set below_minor = excluded.below_minor`);
}

/**
 * Deletes an alert.
 * @returns false when there was none
 */
export async function deleteAlert(
  tx: Tx,
  { team_id, account_id, currency, area }: Omit<AlertRow, 'below_minor'>,
): Promise<boolean> {
  const gone = await tx.run(sql`
    delete from float_alerts
    where team_id = ${team_id} and account_id = ${account_id} and currency = ${currency} and area = ${area}`);
  return gone === 1;
}

/** A float with its alert, for all teams. */
export type WatchedFloat = FloatRow & Pick<AlertRow, 'below_minor'>;

/** Returns the floats with an alert, those with the lowest share of their threshold first. */
export function watchedFloats(db: Queryable, limit: number): Promise<WatchedFloat[]> {
  return db.all<WatchedFloat>(sql`
    select f.team_id, f.account_id, f.currency, f.area, f.use, f.amount_minor, f.read_at, w.below_minor
    from floats f cross join lateral (
      select below_minor from float_alerts a
      where a.team_id = f.team_id and a.account_id = f.account_id and a.currency = f.currency and a.area in (f.area, '')
      order by a.area desc limit 1) w
    where f.use <> 'collection'
    order by f.amount_minor::numeric / w.below_minor, f.account_id limit ${limit}`);
}
