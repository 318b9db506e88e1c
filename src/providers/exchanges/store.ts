import { type Queryable, sql } from '../../kit/sql.ts';
import type { ExchangeRow, NewExchange } from './schema.ts';

/** Stores exchanges of several teams. */
export function insertExchanges(db: Queryable, rows: readonly NewExchange[]): Promise<number> {
  const all = <Name extends keyof NewExchange>(name: Name) => rows.map((row) => row[name]);
  return db.run(sql`
    insert into provider_exchanges (team_id, id, subject_id, provider, account_id, method, path, status, error, duration_ms, request,
      response, response_bytes, created_at)
    select * from unnest(${all('team_id')}::bigint[], ${all('id')}::text[], ${all('subject_id')}::text[], ${all('provider')}::text[],
      ${all('account_id')}::text[], ${all('method')}::text[], ${all('path')}::text[], ${all('status')}::smallint[],
      ${all('error')}::text[], ${all('duration_ms')}::integer[], ${all('request')}::text[], ${all('response')}::text[],
      ${all('response_bytes')}::integer[], ${rows.map(({ at }) => new Date(at))}::timestamptz[])`);
}

/**
 * Returns the latest exchanges of attempts, payouts and refunds, each in the order in which they were made.
 * @param from id below those of the first that is shown
 * @param limit for each of them
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
      select id, subject_id, provider, account_id, method, path, status, error, duration_ms, request, response, response_bytes, created_at
      from provider_exchanges where team_id = ${team_id} and subject_id = s.id and id > ${from} order by id desc limit ${limit}) e
    order by e.id`);
}
