-- Up Migration

-- Tables whose rows are forgotten after a while are partitioned by time, and forgotten by dropping a partition
-- (docs/decisions/0074-partitions.md). This file makes what manages partitions; 0084 to 0089 turn existing tables into partitions.

-- Partitions have a schema of their own, which no role of the service can use: rows are reached through the parent only, and with
-- its policies.
create schema pirogue_partitions;

-- The partitioned tables. A migration that makes another one adds a row.
-- migration: allow protect because no role of the service can read it
create table pirogue_partitions.rules (
  parent     text primary key,
  -- The column by which it is partitioned: an id, or a time.
  key        text not null,
  -- The prefix of these ids. Null: the column is a time.
  id_prefix  text,
  period     text not null check (period in ('day', 'week', 'month')),
  -- Columns of a unique index of each partition that the parent cannot have, because the key is not among them.
  own_unique text,
  -- A query with the bounds $1 (null: none) and $2. While it returns true, the rows between them are still needed.
  needed     text not null
);
insert into pirogue_partitions.rules (parent, key, id_prefix, period, own_unique, needed) values
  ('events', 'id', 'evt', 'month', 'team_id, resource_id, sequence',
    $$select exists (select from deliveries where event_id >= coalesce($1, '') and event_id < $2)$$),
  ('event_bodies', 'event_id', 'evt', 'month', null,
    $$select exists (select from deliveries where event_id >= coalesce($1, '') and event_id < $2)$$),
  ('delivery_attempts', 'id', 'whd', 'month', null, 'select false'),
  ('idempotency_answers', 'created_at', null, 'day', null, 'select false'),
  ('mails', 'created_at', null, 'week', 'team_id, id',
    $$select exists (select from mails where due_at is not null
      and created_at >= coalesce($1::timestamptz, '-infinity') and created_at < $2::timestamptz)$$);

-- The lowest id of that kind that can be made at that moment: lowestIdAt of src/kit/ids.ts.
create function pirogue_lowest_id(prefix text, environment text, at timestamptz) returns text
  language sql immutable strict parallel safe
  return prefix || case environment when 'sandbox' then '_test_' else '_' end || (
    select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch from at) * 1000)::bigint >> (5 * place)) & 31)::integer + 1, 1),
      '' order by place desc) from generate_series(0, 9) place) || repeat('0', 16);

-- A moment as a bound of partitions: the text that PostgreSQL prints for it (ISO, UTC), so that bounds compare as texts.
create function pirogue_partitions.bound(rule pirogue_partitions.rules, environment text, at timestamptz) returns text
  language sql immutable parallel safe
  return (case when rule.id_prefix is null then to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS+00')
    else pirogue_lowest_id(rule.id_prefix, environment, at) end);

-- The start of the period `later` periods after the one of that moment.
create function pirogue_partitions.starts(period text, at timestamptz, later integer) returns timestamptz
  language sql immutable parallel safe
  return (date_trunc(period, at at time zone 'UTC') + later * ('1 ' || period)::interval) at time zone 'UTC';

-- The partitions of a table. `lower` is null for the first one, both bounds are null for the default partition.
create function pirogue_partitions.list(of text)
  returns table (partition regclass, is_default boolean, lower text, upper text)
  language sql stable set timezone = 'UTC' set datestyle = 'ISO' set search_path = pg_catalog, public, pg_temp
  begin atomic
    select c.oid::regclass, b.text = 'DEFAULT', substring(b.text from $$FROM \('([^']*)'\)$$), substring(b.text from $$TO \('([^']*)'\)$$)
    from pg_inherits i join pg_class c on c.oid = i.inhrelid, lateral (select pg_get_expr(c.relpartbound, c.oid) as text) b
    where i.inhparent = to_regclass(format('public.%I', of));
  end;

-- Ids of the sandbox sort above all live ones: by its bounds, every live event would be old.
create function pirogue_partitions.check_environment(environment text) returns void language plpgsql stable as $$
begin
  if environment not in ('sandbox', 'live') then raise exception 'unknown environment %', environment; end if;
  if exists (select from pirogue_partitions.rules r, lateral pirogue_partitions.list(r.parent) p
    where r.id_prefix is not null and (p.upper like r.id_prefix || '\_test\_%') <> (environment = 'sandbox')) then
    raise exception 'this store has rows of another environment than %', environment;
  end if;
end $$;

-- Makes the partitions of the current period and of the next two, where they are missing. Rows of a period without a partition go to
-- the default partition, so that no write fails for want of one; while it has rows of a period, that period gets none. A table that is in
-- use is left to a later round. One process at a time: two would wait for each other, because each has read the default partition that
-- both must lock.
create function pirogue_make_partitions(environment text, at timestamptz) returns integer
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set lock_timeout = '100ms' as $$
declare
  missing record;
  has_rows boolean;
  made integer := 0;
  busy text[] := '{}';
begin
  if not pg_try_advisory_xact_lock(hashtextextended('pirogue_partitions', 0)) then return 0; end if;
  perform pirogue_partitions.check_environment(environment);
  for missing in
    with found as materialized (
      select r.parent, p.* from pirogue_partitions.rules r, lateral pirogue_partitions.list(r.parent) p
    )
    select r.parent, r.key, r.own_unique, b.*,
      r.parent || '_' || to_char(b.starts at time zone 'UTC', case r.period when 'month' then 'YYYYMM' else 'YYYYMMDD' end) as name
    from pirogue_partitions.rules r, generate_series(0, 2) later, lateral (
      select pirogue_partitions.starts(r.period, at, later) as starts,
        pirogue_partitions.bound(r, environment, pirogue_partitions.starts(r.period, at, later)) as lowest,
        pirogue_partitions.bound(r, environment, pirogue_partitions.starts(r.period, at, later + 1)) as highest) b
    where not exists (select from found f where f.parent = r.parent and not f.is_default
      and f.upper collate "C" > b.lowest and (f.lower is null or f.lower collate "C" < b.highest))
    order by r.parent, later
  loop
    continue when missing.parent = any(busy);
    begin
      -- A writer that has chosen the default partition for a row of this period would fail once the period has its own.
      execute format('lock table only public.%I in share row exclusive mode', missing.parent);
      execute format('select exists (select from pirogue_partitions.%I where %I >= %L and %I < %L)',
        missing.parent || '_default', missing.key, missing.lowest, missing.key, missing.highest) into has_rows;
      continue when has_rows;
      execute format('create table pirogue_partitions.%I (like public.%I including all)', missing.name, missing.parent);
      if missing.own_unique is not null then
        execute format('create unique index on pirogue_partitions.%I (%s)', missing.name, missing.own_unique);
      end if;
      perform pirogue_protect(format('pirogue_partitions.%I', missing.name)::regclass);
      execute format('alter table public.%I attach partition pirogue_partitions.%I for values from (%L) to (%L)',
        missing.parent, missing.name, missing.lowest, missing.highest);
      made := made + 1;
    exception when lock_not_available or check_violation or deadlock_detected then busy := busy || missing.parent;
    end;
  end loop;
  return made;
end $$;
revoke execute on function pirogue_make_partitions(text, timestamptz) from public;
grant execute on function pirogue_make_partitions(text, timestamptz) to pirogue_all_teams;

create function pirogue_partitions.is_needed(rule pirogue_partitions.rules, lowest text, highest text) returns boolean
  language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
declare
  needed boolean;
begin
  execute rule.needed into strict needed using lowest, highest;
  return needed;
end $$;

-- Drops the oldest partition of a table that has nothing from that moment on and nothing that is still needed; the default partition is
-- emptied instead. Whoever reads or writes one of its rows has a lock on the parent until their transaction ends, so that the second look,
-- under the lock, is final. Nothing waits longer than the timeout for it.
-- Returns the name of the partition; null when there is none, or while another process makes or drops partitions.
create function pirogue_drop_partition(parent text, environment text, keep_from timestamptz) returns text
  language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set lock_timeout = '100ms' as $$
declare
  rule pirogue_partitions.rules;
  part record;
  kept text collate "C";
  name text;
  has_rows boolean;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('pirogue_partitions', 0)) then return null; end if;
  perform pirogue_partitions.check_environment(environment);
  select * into strict rule from pirogue_partitions.rules r where r.parent = pirogue_drop_partition.parent;
  kept := pirogue_partitions.bound(rule, environment, keep_from);
  for part in select *, coalesce(p.upper, kept) as until from pirogue_partitions.list(parent) p
    where p.is_default or p.upper <= kept order by p.is_default, p.upper
  loop
    continue when pirogue_partitions.is_needed(rule, part.lower, part.until);
    if part.is_default then
      -- Pages, not rows: rows may have been deleted one by one.
      continue when pg_relation_size(part.partition) = 0;
      execute format('select exists (select from %s where %I >= %L)', part.partition, rule.key, kept) into has_rows;
      continue when has_rows;
    end if;
    execute format('lock table only public.%I in access exclusive mode', parent);
    execute format('lock table %s in access exclusive mode nowait', part.partition);
    if pirogue_partitions.is_needed(rule, part.lower, part.until) then return null; end if;
    if not part.is_default then
      name := part.partition;
      execute format('drop table %s', name);
      return name;
    end if;
    execute format('select exists (select from %s where %I >= %L)', part.partition, rule.key, kept) into has_rows;
    if has_rows then return null; end if;
    execute format('truncate table %s', part.partition);
    return part.partition;
  end loop;
  return null;
end $$;
revoke execute on function pirogue_drop_partition(text, text, timestamptz) from public;
grant execute on function pirogue_drop_partition(text, text, timestamptz) to pirogue_all_teams;

-- ------------------------------------------------------------------------------------------- idempotency
-- The stored responses of keys. A key is for ever, its response for a day.
create table idempotency_answers (
  team_id     bigint not null,
  route       text not null,
  key         text not null,
  -- That of the key.
  created_at  timestamptz(3) not null,
  -- What the response is about, by which an erasure finds it.
  resource_id text,
  answer      bytea not null,
  primary key (team_id, route, key, created_at)
) partition by range (created_at);
alter table idempotency_answers alter column answer set storage external;
create index on idempotency_answers (team_id, resource_id);
select pirogue_protect('idempotency_answers');
grant select, insert, update, delete on idempotency_answers to pirogue_app;
create table pirogue_partitions.idempotency_answers_default partition of idempotency_answers default;
select pirogue_protect('pirogue_partitions.idempotency_answers_default');

-- Whether responses are stored here alone. A release before this one reads them from the key: where one has been at work, it may still
-- run beside this one for a week.
-- migration: allow unreadable because it only makes a function whose text depends on whether there are rows
do $$
begin
  execute format('create function pirogue_answers_apart() returns boolean language sql stable parallel safe return %s',
    case when exists (select from idempotency_keys) then format('pirogue_now() > %L::timestamptz', pirogue_now() + interval '7 days')
      else 'true' end);
end $$;

-- An earlier release clears the response of the key, for an erasure or by age; the copy goes with it.
create function pirogue_clear_answer() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from idempotency_answers a
    where a.team_id = new.team_id and a.route = new.route and a.key = new.key and a.created_at = new.created_at;
  return null;
end $$;
create trigger idempotency_keys_cleared after update of answer on idempotency_keys
  for each row when (old.answer is not null and new.answer is null) execute function pirogue_clear_answer();

-- ------------------------------------------------------------------------------------------------ events
-- The number of the latest event of each resource: numbers are unique for ever, across partitions of events too.
create table event_sequences (
  team_id       bigint not null,
  resource_id   text collate "C" not null,
  recorded_to   integer not null,
  primary key (team_id, resource_id)
) with (fillfactor = 85);
select pirogue_protect('event_sequences');
grant select, insert, update on event_sequences to pirogue_app;

-- Rejects an event whose number is not above all earlier ones of its resource. The row of the resource, which counts them, is locked by
-- whoever records. The first event is not counted: it is recorded by the transaction that inserts the resource, whose key is for ever.
create function pirogue_number_events() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into event_sequences as s (team_id, resource_id, recorded_to) values (new.team_id, new.resource_id, new.sequence)
    on conflict (team_id, resource_id) do update set recorded_to = excluded.recorded_to where s.recorded_to < excluded.recorded_to;
  if not found then
    raise exception 'an event with this number, or a later one, is already recorded for its resource' using errcode = 'unique_violation';
  end if;
  return null;
end $$;

revoke execute on function pirogue_number_events(), pirogue_clear_answer() from public;

-- ------------------------------------------------------------------------------------- existing tables
-- The end of a first partition that has all existing rows: a period that begins two weeks from now or later, because rows are written until
-- the table is attached, and a migration that found a table locked may be continued days later. Null for a table without rows.
create function pirogue_partitions.first_end(of text) returns text language plpgsql
  set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  rule pirogue_partitions.rules;
  newest text collate "C";
  environment text;
  until timestamptz;
begin
  select * into strict rule from pirogue_partitions.rules r where r.parent = of;
  execute format('select max(%I)::text from %I', rule.key, of) into newest;
  if newest is null then return null; end if;
  -- Ids of the sandbox contain its name.
  environment := case when newest like '%\_test\_%' then 'sandbox' else 'live' end;
  until := pirogue_partitions.starts(rule.period, pirogue_now() + interval '14 days', 1);
  while newest >= pirogue_partitions.bound(rule, environment, until) loop
    until := pirogue_partitions.starts(rule.period, until, 1);
  end loop;
  return pirogue_partitions.bound(rule, environment, until);
end $$;

-- Adds the check that a later file validates. All rows are read before the lock is taken.
create function pirogue_partitions.add_bound(of text) returns void language plpgsql as $$
declare
  bound text := pirogue_partitions.first_end(of);
begin
  if bound is null then return; end if;
  execute format('alter table %I add constraint %I check (%I < %L) not valid', of, of || '_before',
    (select key from pirogue_partitions.rules where parent = of), bound);
end $$;

create function pirogue_partitions.validate_bound(of text) returns void language plpgsql as $$
begin
  if exists (select from pg_constraint where conrelid = of::regclass and conname = of || '_before') then
    execute format('alter table %I validate constraint %I', of, of || '_before');
  end if;
end $$;

-- Makes an existing table the first partition of a table with its name, columns, indexes, rights and policies, or the default partition if
-- it has no rows. Its indexes become those of the parent, and no row is written; rows are read if there is no validated check.
-- `indexes`: what follows `create` and precedes the table, with its columns.
create function pirogue_partitions.take_over(taken text, keys text, indexes text[]) returns void language plpgsql
  set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  rule pirogue_partitions.rules;
  bound text;
  part text;
  one text;
begin
  select * into strict rule from pirogue_partitions.rules r where r.parent = taken;
  execute format('lock table %I in access exclusive mode', taken);
  select substring(pg_get_constraintdef(oid) from $re$'([^']*)'$re$) into bound from pg_constraint
    where conrelid = taken::regclass and conname = taken || '_before';
  bound := coalesce(bound, pirogue_partitions.first_end(taken));
  part := taken || case when bound is null then '_default' else '_before' end;
  execute format('alter table %I set schema pirogue_partitions', taken);
  execute format('alter table pirogue_partitions.%I rename to %I', taken, part);
  execute format('create table %I (like pirogue_partitions.%I including defaults including storage including comments) partition by range (%I)',
    taken, part, rule.key);
  if keys is not null then execute format('alter table %I add primary key (%s)', taken, keys); end if;
  foreach one in array indexes loop execute format(one, taken); end loop;
  perform pirogue_protect(taken::regclass);
  execute format('revoke all on pirogue_partitions.%I from pirogue_app', part);
  if bound is null then
    execute format('alter table %I attach partition pirogue_partitions.%I default', taken, part);
    return;
  end if;
  execute format('alter table %I attach partition pirogue_partitions.%I for values from (minvalue) to (%L)', taken, part, bound);
  execute format('alter table pirogue_partitions.%I drop constraint if exists %I', part, taken || '_before');
  execute format('create table pirogue_partitions.%I partition of %I default', taken || '_default', taken);
  perform pirogue_protect(format('pirogue_partitions.%I', taken || '_default')::regclass);
  if rule.own_unique is not null then
    execute format('create unique index on pirogue_partitions.%I (%s)', taken || '_default', rule.own_unique);
  end if;
end $$;
