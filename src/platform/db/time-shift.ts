import { type Fragment, part } from '../../kit/sql.ts';

/** A shift of the scheduled times of one sandbox team towards the present. Every room shifts those of its own tables. */
export interface TimeShift {
  team_id: bigint;
  by_ms: number;
  now: Date;
}

/** How many scheduled times were shifted, and how many of them became due. */
export interface Shifted {
  moved: number;
  due: number;
}

/** SQL: the interval by which times are shifted. */
export function intervalOf(by_ms: number): Fragment {
  return part`${by_ms}::float8 * interval '1 ms'`;
}

/**
 * SQL: counts the rows of the CTE `moved`.
 * @param now the current time
 * @param time the shifted column
 */
export function countMoved(by_ms: number, now: Date | Fragment, time: Fragment): Fragment {
  return part`select count(*)::integer as moved,
    (count(*) filter (where ${time} <= ${now} and ${time} + ${intervalOf(by_ms)} > ${now}))::integer as due from moved`;
}
