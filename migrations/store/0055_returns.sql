-- Up Migration

-- Captured money that a payment cannot keep and that has to go back to the payer: one row for each obligation, whichever way
-- the money takes (docs/decisions/0055-returns.md).
create table returns (
  team_id       bigint not null,
  id            text collate "C" not null,
  payment_id    text collate "C" not null,
  attempt_id    text collate "C" not null,
  -- '' is the captured amount of the attempt. Money that arrived beside it (another amount, a second time) is named by the
  -- provider's reference: each such arrival is an obligation of its own.
  arrival       text collate "C" not null default '',
  amount_minor  bigint not null check (amount_minor > 0),
  currency      text not null,
  -- owed: in suspense, the next way is chosen. waiting: in suspense, for a person. overpaid: by refund and by payout, for a person.
  state         text not null check (state in ('owed', 'refunding', 'paying_out', 'waiting', 'overpaid', 'returned', 'resolved')),
  -- The refunds (kind `giveback`) that carry the money: by the provider's refund, by payout, by a person.
  refund_id     text collate "C",
  payout_id     text collate "C",
  manual_id     text collate "C",
  -- The account that has the payout, those that provably did not take it, and whether it was sent to the same one again.
  account_id    text collate "C",
  tried         text[] not null default '{}',
  resent        boolean not null default false,
  dispatched_at timestamptz(3),
  -- Keys of the payout that are spent: taken, and failed for good and unpaid.
  spent         integer not null default 0,
  -- The provider reported the refund as done after it had failed: the money has left suspense by it.
  late_refund   boolean not null default false,
  -- A callback spoke of the refund that had failed: it is read again.
  recheck       boolean not null default false,
  polls         integer not null default 0,
  note          text,
  next_step_at  timestamptz(3),
  -- Since when a person is needed, and when the merchant was told (once).
  waiting_since timestamptz(3),
  announced_at  timestamptz(3),
  resolved_as   text check (resolved_as in ('returned', 'kept', 'recovered', 'absorbed')),
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  closed_at     timestamptz(3),
  primary key (team_id, id),
  -- Money goes back once.
  unique (team_id, attempt_id, arrival),
  check ((state in ('returned', 'resolved')) = (closed_at is not null)),
  check ((state in ('waiting', 'overpaid')) <= (waiting_since is not null)),
  check ((state = 'resolved') = (resolved_as is not null))
) with (fillfactor = 85);
create index returns_due on returns (next_step_at) where next_step_at is not null;
create index returns_open on returns (created_at) where closed_at is null;
create index returns_open_team on returns (team_id, id) where closed_at is null;
create index returns_payment on returns (team_id, payment_id);
grant select, insert, update, delete on returns to pirogue_app;
select pirogue_protect('returns');

-- Which return a refund carries, and how. Payouts and what a person does by hand are no work of the refunds' worker.
alter table refunds add column return_id text collate "C";
alter table refunds add column way text not null default 'refund' check (way in ('refund', 'payout', 'manual'));
-- One way at a time: a payout begins when the refund has ended.
create unique index refunds_one_way on refunds (team_id, return_id) where return_id is not null and status in ('pending', 'processing');
-- A refund that failed is followed by another of the same attempt. Workers of the version before still make their own.
drop index refunds_one_giveback;
create unique index refunds_one_giveback on refunds (team_id, attempt_id) where kind = 'giveback' and return_id is null;
create index refunds_giveback on refunds (team_id, attempt_id) where kind = 'giveback';

-- Stays true, unlike `giveback`, which only processes of the version before still set.
alter table attempts add column must_return boolean not null default false;

-- Makes returns of what the version before marked or began: once here for all that is stored, then in each round of the worker
-- for what processes of that version still write during a rollout. @returns how many
create function pirogue_adopt_givebacks(now_at timestamptz, max_rows integer) returns integer language plpgsql as $$
declare
  adopted integer;
  marked integer;
begin
  -- Open ones are given to the returns' worker, which decides which way they are on. Failed ones left their money in suspense.
  with found as materialized (
    select r.* from refunds r join payments p on p.team_id = r.team_id and p.id = r.payment_id
    where r.kind = 'giveback' and r.return_id is null
    limit max_rows for update of p skip locked
  ), made as (
    insert into returns as o (team_id, id, payment_id, attempt_id, amount_minor, currency, state, refund_id, manual_id, next_step_at,
      created_at, updated_at, closed_at)
    select team_id, replace(attempt_id, 'att_', 'rtn_'), payment_id, attempt_id, amount_minor, currency,
      case when status = 'succeeded' then 'returned' when status = 'failed' or draws is null then 'owed' else 'refunding' end,
      case when status = 'failed' or draws is not null then id end, case when status <> 'failed' and draws is null then id end,
      case when status <> 'succeeded' then now_at end, created_at, now_at, case when status = 'succeeded' then coalesce(completed_at, updated_at) end
    from found
    on conflict (team_id, attempt_id, arrival) do update set state = excluded.state, refund_id = excluded.refund_id,
      manual_id = excluded.manual_id, closed_at = excluded.closed_at, next_step_at = excluded.next_step_at
      where o.state = 'owed' and o.refund_id is null and o.manual_id is null
    returning team_id, id, attempt_id
  ), flagged as (
    update attempts a set must_return = true from made m where a.team_id = m.team_id and a.id = m.attempt_id
  ), tied as (
    update refunds r set return_id = m.id, next_poll_at = null,
      way = case when r.status = 'pending' and r.draws is null then 'manual' else 'refund' end
    from found f join made m on m.team_id = f.team_id and m.attempt_id = f.attempt_id
    where r.team_id = f.team_id and r.id = f.id returning 1
  )
  select count(*) into adopted from tied;

  with due as materialized (
    select a.team_id, a.id from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id
    where a.giveback limit max_rows for update of p skip locked
  ), unmarked as (
    update attempts a set giveback = false, must_return = true from due d
    where a.team_id = d.team_id and a.id = d.id and a.giveback
    returning a.team_id, a.id, a.payment_id, a.amount_minor, a.currency
  ), made as (
    insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, next_step_at, created_at, updated_at)
    select team_id, replace(id, 'att_', 'rtn_'), payment_id, id, amount_minor, currency, 'owed', now_at, now_at, now_at from unmarked
    on conflict (team_id, attempt_id, arrival) do nothing
  )
  select count(*) into marked from unmarked;
  return adopted + marked;
end $$;
revoke execute on function pirogue_adopt_givebacks(timestamptz, integer) from public;
grant execute on function pirogue_adopt_givebacks(timestamptz, integer) to pirogue_app;

select pirogue_adopt_givebacks(now(), 2147483647);
