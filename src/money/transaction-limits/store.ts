import { jsonText } from '../../kit/json.ts';
import type { Minor } from '../../kit/money.ts';
import { sql, type Tx } from '../../kit/sql.ts';
import type { TransactionLimits, Direction } from './table.ts';

/** Money that a team moves, counted under the UTC day on which it began. */
export interface Use {
  team_id: bigint;
  direction: Direction;
  currency: string;
  /** A UTC day, such as 2026-11-21. */
  day: string;
  /** Negative to release a reservation. */
  amount_minor: Minor;
}

/**
 * Counts a use under its day and its month where it fits. The rows are locked, so concurrent uses never exceed a limit. Every
 * caller locks the month first, which prevents deadlocks. A caller that fits in only one of the two has to roll back.
 * @returns the periods in which it fitted
 */
export async function takeUse(tx: Tx, use: Use, { daily_minor, monthly_minor }: TransactionLimits): Promise<string[]> {
  const { team_id, direction, currency, day, amount_minor } = use;
  const rows = await tx.all<{ period: string }>(sql`
    insert into ceiling_uses (team_id, direction, currency, period, used_minor)
    select ${team_id}::bigint, ${direction}, ${currency}, period, ${amount_minor}::bigint
    from unnest(${[monthOf(day), day]}::text[], ${[monthly_minor, daily_minor]}::bigint[]) as wanted (period, limit_minor)
    where ${amount_minor}::bigint <= limit_minor order by period collate "C"
    on conflict (team_id, direction, currency, period) do update set used_minor = ceiling_uses.used_minor + excluded.used_minor
      where ceiling_uses.used_minor + excluded.used_minor
        <= case excluded.period when ${day} then ${daily_minor}::bigint else ${monthly_minor}::bigint end
    returning period`);
  return rows.map(({ period }) => period);
}

/**
 * Releases uses, or counts them without a check: money that has moved counts even above a limit. Locks rows in a fixed order.
 */
export async function changeUses(tx: Tx, uses: readonly Use[]): Promise<void> {
  if (uses.length === 0) return;
  const rows = uses.flatMap((use) => [monthOf(use.day), use.day].map((period) => ({ ...use, period })));
  await tx.run(sql`
    with change as materialized (
      select team_id, direction, currency, period, sum(amount_minor)::bigint as amount_minor
      from json_to_recordset(${jsonText(rows)}::json)
        as c(team_id bigint, direction text, currency text, period text, amount_minor bigint)
      group by team_id, direction, currency, period
    ),
    held as materialized (
      select u.team_id, u.direction, u.currency, u.period, c.amount_minor
      from ceiling_uses u join change c on u.team_id = c.team_id and u.direction = c.direction and u.currency = c.currency
        and u.period = c.period
      order by u.team_id, u.direction, u.currency, u.period for update of u
    )
    update ceiling_uses u set used_minor = u.used_minor + held.amount_minor
    from held where u.team_id = held.team_id and u.direction = held.direction and u.currency = held.currency
      and u.period = held.period`);
}

function monthOf(day: string): string {
  return day.slice(0, 7);
}
