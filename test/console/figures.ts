import { type Queryable, sql } from '../../src/kit/sql.ts';

/** Inserts figures of ninety days, as a shop has them: four channels in two currencies, busier by day than by night. */
export async function fillFigures(owner: Queryable, team_id: bigint, at: number): Promise<void> {
  await owner.run(sql`
    insert into payment_hours (team_id, hour, part, currency, channel, succeeded, failed, cancelled, expired, collected_minor,
      confirmed, confirm_ms, refunded, refunded_minor)
    select ${team_id}::bigint, date_trunc('hour', ${new Date(at)}::timestamptz, 'UTC') - h * interval '1 hour', 0, c.currency, c.channel,
      s.n, (s.n * c.failing)::integer, (s.n * 0.02)::integer, (s.n * 0.03)::integer, s.n * c.amount, s.n, s.n * c.ms,
      (s.n * 0.1)::integer, (s.n * 0.1)::integer * c.amount
    from generate_series(0, 24 * 90 - 1) h, (values ('XAF', 'cm.mtn', 0.06, 125000, 21000), ('XAF', 'cm.orange', 0.12, 90000, 34000),
      ('XAF', 'cm.card', 0.2, 400000, 61000), ('XOF', 'ci.wave', 0.04, 50000, 9000)) c (currency, channel, failing, amount, ms),
    lateral (select (8 + 6 * sin(h / 3.8) + 3 * sin(h / 40.0 + length(c.channel)))::integer as n) s`);
}
