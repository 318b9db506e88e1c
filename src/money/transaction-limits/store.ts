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

/** A use with the limits of its day and its month. */
export interface LimitedUse extends Use, Pick<TransactionLimits, 'daily_minor' | 'monthly_minor'> {}

/** A period of uses: a UTC day such as 2026-11-21, or its month. */
export type Period = Pick<Use, 'team_id' | 'direction' | 'currency'> & { period: string };

/**
 * Counts uses under their days and their months where they fit. The rows are locked, so concurrent uses never exceed a limit; they are
 * locked in one order, in which a month is before its days. A caller that fits in only one of the two has to roll back.
 * @returns the periods in which all of their uses fitted, within the lowest of their limits
 */
export async function takeUses(tx: Tx, uses: readonly LimitedUse[]): Promise<Period[]> {
  if (uses.length === 0) return [];
  const ofPeriods = uses.flatMap(({ daily_minor, monthly_minor, ...use }) => [
    { ...use, period: monthOf(use.day), limit_minor: monthly_minor },
    { ...use, period: use.day, limit_minor: daily_minor },
  ]);
  return tx.all<Period>(sql`
    with wanted as materialized (
      select team_id, direction, currency, period, sum(amount_minor)::bigint as amount_minor, min(limit_minor) as limit_minor
      from json_to_recordset(${jsonText(ofPeriods)}::json)
        as w(team_id bigint, direction text, currency text, period text, amount_minor bigint, limit_minor bigint)
      group by team_id, direction, currency, period
    )
    insert into ceiling_uses (team_id, direction, currency, period, used_minor)
    select team_id, direction, currency, period, amount_minor from wanted where amount_minor <= limit_minor
    order by team_id, direction collate "C", currency collate "C", period collate "C"
    on conflict (team_id, direction, currency, period) do update set used_minor = ceiling_uses.used_minor + excluded.used_minor
      where ceiling_uses.used_minor + excluded.used_minor <= (
        select w.limit_minor from wanted w where w.team_id = excluded.team_id and w.direction = excluded.direction
          and w.currency = excluded.currency and w.period = excluded.period)
    returning team_id, direction, currency, period`);
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

/** Returns the month of a UTC day. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}
