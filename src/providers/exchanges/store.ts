import { type Queryable, sql } from '../../kit/sql.ts';
import { type ExchangeRow, MAX_CALLBACKS, type NewExchange } from './schema.ts';

/** Stores exchanges of several teams, and callbacks up to their maximum. */
export function insertExchanges(db: Queryable, rows: readonly NewExchange[]): Promise<number> {
  const all = <Name extends keyof NewExchange>(name: Name) => rows.map((row) => row[name]);
  return db.run(sql`
    insert into provider_exchanges (team_id, id, subject_id, provider, account_id, method, path, status, error, duration_ms, request,
      response, response_bytes, created_at, callback)
    select n.team_id, id, n.subject_id, provider, account_id, method, path, status, error, duration_ms, request, response, response_bytes,
      created_at, n.callback
    from (select *, row_number() over (partition by team_id, subject_id, callback order by id) as place
      from unnest(${all('team_id')}::bigint[], ${all('id')}::text[], ${all('subject_id')}::text[], ${all('provider')}::text[],
      ${all('account_id')}::text[], ${all('method')}::text[], ${all('path')}::text[], ${all('status')}::smallint[],
      ${all('error')}::text[], ${all('duration_ms')}::integer[], ${all('request')}::text[], ${all('response')}::text[],
      ${all('response_bytes')}::integer[], ${rows.map(({ at }) => new Date(at))}::timestamptz[],
      ${all('callback')}::text[]) as one (team_id, id, subject_id, provider, account_id, method, path, status, error, duration_ms, request,
      response, response_bytes, created_at, callback)) n
    where n.callback is null or n.place + (select count(*) from (
      select from provider_exchanges e where e.team_id = n.team_id and e.subject_id = n.subject_id and e.callback = n.callback
      limit ${MAX_CALLBACKS}) stored) <= ${MAX_CALLBACKS}`);
}

/**
 * Returns the latest exchanges of attempts, payouts and refunds, each in the order in which they were made.
 * @param from lower bound of the ids
 * @param limit maximum number for each of them
 */
export function exchangesOf(
  db: Queryable,
  team_id: bigint,
  subject_ids: readonly string[],
  from: string,
  limit: number,
): Promise<ExchangeRow[]> {
  return db.all<ExchangeRow>(sql`
    select e.* from unnest(${[...subject_ids]}::text[]) as s (id) cross join lateral (
      select id, subject_id, provider, account_id, method, path, status, error, duration_ms, request, response, response_bytes, created_at,
        callback
      from provider_exchanges where team_id = ${team_id} and subject_id = s.id and id > ${from} order by id desc limit ${limit}) e
    order by e.id`);
}
