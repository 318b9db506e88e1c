import { type Fragment, fixed, PLANNED_EACH_TIME } from '../../kit/sql.ts';

/** Payments and transfers up to which a team has few of them. */
export const FEW_SUBJECTS = 200;

const KEPT = fixed('');

/**
 * Returns the end of a statement of the comparison. Planning these statements takes longer than comparing a few hundred payments with
 * any plan, so PostgreSQL keeps the plan for teams with few. The rows of a large team need a plan for their number: one kept from a
 * small team would loop over them.
 */
export function planningOf(few: boolean): Fragment {
  return few ? KEPT : PLANNED_EACH_TIME;
}
