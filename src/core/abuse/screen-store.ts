import { clause, fixed, type Fragment, type Queryable, sql } from '../../kit/sql.ts';
import type { Prompter } from '../attempts/schema.ts';
import type { KnownBy } from './known-by.ts';
import { LIMITS, type Refusal } from './rules.ts';

const DAY_MS = 86_400_000;

/** A charge to be screened. */
export interface ScreenedCharge extends KnownBy {
  team_id: bigint;
  payment_id: string;
  currency: string;
  /** Amount of the whole payment. Null when part of it is paid: the amount was screened before. */
  amount_minor: bigint | null;
  /** Who caused it; null: no person. */
  prompted_by: Prompter | null;
}

/**
 * Evaluates all rules in one statement. It counts an accepted charge, and records the reason of a rejected one. The rows of
 * the counts are locked, so concurrent charges cannot exceed the limits. Rejected charges are not counted. Blocks and amounts
 * are evaluated before counts. Only charges of the same kind of caller or of a more trusted one count against a charge, as with prompts
 * (docs/decisions/0053-prompts.md). A public key therefore cannot use up the charges that the merchant's server may make.
 * @returns undefined when the charge is accepted
 */
export function evaluateRules(db: Queryable, charge: ScreenedCharge, at: number): Promise<Refusal | undefined> {
  const { team_id, payment_id, currency, amount_minor, payer_hash, prompted_by } = charge;
  const { payer, team, amount } = LIMITS;
  const now = new Date(at);
  const day_from = new Date(at - DAY_MS);
  const window = new Date(Math.floor(at / team.window_ms) * team.window_ms);
  const [is_public, is_page] = [prompted_by === 'public', prompted_by === 'page'];
  const by_window = countedCharges(prompted_by);
  return db.maybe<Refusal>(sql`
    with hit as materialized (${firstBlock(charge, now)}),
    odd as materialized (
      select payments, high_minor from abuse_amounts
      where team_id = ${team_id} and currency = ${currency} and payments >= ${amount.payments}::int
        and ${amount_minor}::bigint > high_minor::numeric * ${amount.times}::int and not exists (select from hit)
    ),
    pace as materialized (
      select busiest, greatest(${team.floor}::int, least(busiest::bigint * ${team.times}::int, 2147483647))::int as most
      from (select coalesce((select busiest from abuse_paces where team_id = ${team_id}), 0) as busiest) p
    ),
    plain as materialized (select where not exists (select from hit) and not exists (select from odd)),
    -- A charge that the team's limit rejects must not count for its payer. The row of the team decides when several charges are at the limit.
    roomy as materialized (
      select from plain where not exists (
        select from abuse_windows w where w.team_id = ${team_id} and w.starts_at = ${window}::timestamptz and ${by_window} >= (select most from pace))
    ),
    seen as materialized (
      select coalesce((
        select ${countedTimes(prompted_by, day_from)} from abuse_payers p where p.team_id = ${team_id} and p.payer_hash = ${payer_hash}::text), 0)::int as a_day
    ),
    payer as (${countedForPayer(charge, at)}),
    calm as materialized (select from roomy where ${payer_hash}::text is null or exists (select from payer)),
    team as (
      insert into abuse_windows as w (team_id, starts_at, charges, by_public, by_page)
      select ${team_id}::bigint, ${window}::timestamptz, 1, ${is_public}::boolean::int, ${is_page}::boolean::int from calm
      on conflict (team_id, starts_at) do update set charges = w.charges + 1,
          by_public = coalesce(w.by_public, 0) + excluded.by_public, by_page = coalesce(w.by_page, 0) + excluded.by_page
        where ${by_window} < (select most from pace)
      returning 1
    ),
    refusal as materialized (
      select 'block' as rule, json_build_object('block', id, 'kind', kind) as figures from hit
      union all
      select 'amount', json_build_object('amount_minor', ${amount_minor}::bigint::text, 'currency', ${currency}::text,
        'high_minor', high_minor::text, 'payments', payments) from odd
      union all
      select 'payer_velocity', case when a_day >= ${payer.max_per_day}::int
        then json_build_object('most', ${payer.max_per_day}::int, 'minutes', 1440)
        else json_build_object('most', ${payer.max}::int, 'minutes', ${payer.window_ms / 60_000}::int) end
      from roomy, seen where not exists (select from calm)
      union all
      select 'team_velocity', json_build_object('most', most, 'busiest', busiest) from plain, pace
      where not exists (select from roomy) or (exists (select from calm) and not exists (select from team))
    ),
    noted as (
      insert into abuse_refusals as r (team_id, payment_id, rule, figures, times, first_at, last_at)
      select ${team_id}::bigint, ${payment_id}, rule, figures, 1, ${now}::timestamptz, ${now}::timestamptz from refusal
      on conflict (team_id, payment_id, rule) do update
        set times = r.times + 1, figures = excluded.figures, last_at = excluded.last_at
    )
    select rule, figures from refusal`);
}

/** SQL: counts the charge for its payer, unless the limit is reached. The payer's row decides when several charges are at the limit. */
function countedForPayer({ team_id, payer_hash, prompted_by }: ScreenedCharge, at: number): Fragment {
  const { payer } = LIMITS;
  const [now, burst_from, day_from] = [new Date(at), new Date(at - payer.window_ms), new Date(at - DAY_MS)];
  const [is_public, is_page] = [prompted_by === 'public', prompted_by === 'page'];
  const timesOf = (from: Date) => countedTimes(prompted_by, from);
  return clause`
      insert into abuse_payers as p (team_id, payer_hash, charges, last_at, by_public, by_page)
      select ${team_id}::bigint, ${payer_hash}::text, array[${now}::timestamptz], ${now}::timestamptz,
        case when ${is_public}::boolean then array[${now}::timestamptz] end, case when ${is_page}::boolean then array[${now}::timestamptz] end
      from roomy where ${payer_hash}::text is not null
      on conflict (team_id, payer_hash) do update set last_at = excluded.last_at,
          charges = array(select t from unnest(p.charges) t where t > ${day_from} order by t) || excluded.charges,
          by_public = array(select t from unnest(p.by_public) t where t > ${day_from} order by t) || excluded.by_public,
          by_page = array(select t from unnest(p.by_page) t where t > ${day_from} order by t) || excluded.by_page
        where ${timesOf(burst_from)} < ${payer.max}::int and ${timesOf(day_from)} < ${payer.max_per_day}::int
      returning 1`;
}

/** Columns of charges that do not count against a caller's: those of less trusted callers. */
function lessTrusted(prompted_by: Prompter | null): Fragment[] {
  if (prompted_by === 'public') return [];
  return prompted_by === 'page' ? [fixed('by_public')] : [fixed('by_public'), fixed('by_page')];
}

/** SQL: how many charges of the payer `p` since a moment count against a caller's. */
function countedTimes(prompted_by: Prompter | null, from: Date): Fragment {
  const count = (column: Fragment) => clause`(select count(*) from unnest(p.${column}) t where t > ${from})`;
  return lessTrusted(prompted_by).reduce((sum, column) => clause`${sum} - ${count(column)}`, count(fixed('charges')));
}

/** SQL: how many charges of the window `w` count against a caller's. */
function countedCharges(prompted_by: Prompter | null): Fragment {
  return lessTrusted(prompted_by).reduce((sum, column) => clause`${sum} - coalesce(w.${column}, 0)`, fixed('w.charges'));
}

/** SQL: the oldest block that applies to the charge. */
function firstBlock(charge: ScreenedCharge, now: Date): Fragment {
  const { team_id, payer_hash, spelled_hash, email_hash, customer_id, address } = charge;
  return clause`
      select b.id, b.kind
      from (values ('payer', ${payer_hash}::text), ('payer', ${spelled_hash}::text), ('email', ${email_hash}::text),
          ('customer', ${customer_id}::text)) as wanted (kind, value)
        join abuse_blocks b on b.team_id = ${team_id} and b.kind = wanted.kind and b.value = wanted.value
      where b.expires_at is null or b.expires_at > ${now}
      union all
      select id, kind from abuse_blocks
      where team_id = ${team_id} and kind = 'address' and network >>= ${address}::inet and (expires_at is null or expires_at > ${now})
      order by id limit 1`;
}
