import { must } from '../../kit/errors.ts';
import { part, sql, type Tx } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';

/** Moves the next poll of refunds, and the submission times of them and of their parts. */
export async function shiftRefunds(tx: Tx, { team_id, by_ms, now }: TimeShift): Promise<Shifted> {
  const interval = intervalOf(by_ms);
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update refunds set next_poll_at = next_poll_at - ${interval}, submitted_at = submitted_at - ${interval},
        legs = (
          select json_agg(case when leg.value->>'sent_at' is null then leg.value else jsonb_set(leg.value::jsonb, '{sent_at}', to_jsonb(to_char(
            ((leg.value->>'sent_at')::timestamptz - ${interval}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::json end order by leg.n)
          from json_array_elements(legs) with ordinality as leg(value, n))
      where team_id = ${team_id} and next_poll_at is not null
      returning next_poll_at
    ) ${countMoved(by_ms, now, part`next_poll_at`)}`);
  return must(row, 'a count returns a row');
}
