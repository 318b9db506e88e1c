-- Up Migration

-- The search index: immutable segments that workers build in the background (docs/decisions/0067-search.md). Results never depend on
-- its progress: rows that no segment covers are read themselves.

-- One segment covers the ids of a team after the segment before it, up to and including last_id.
create table search_segments (
  team_id   bigint not null,
  -- What is searched: payments.
  kind      text not null,
  last_id   text collate "C" not null,
  -- Number of the segment in search_postings. A rebuilt segment gets a new one.
  segment   integer not null,
  row_count integer not null,
  -- The last 26 characters of each id, in the order of ids: a position in a list is a place here.
  ids       bytea not null,
  primary key (team_id, kind, last_id)
);

-- Which rows of a segment contain which three characters. A bucket holds those that begin with the same two.
create table search_postings (
  team_id     bigint not null,
  kind        text not null,
  segment     integer not null,
  -- Fields that are searched together: 0 by every key, 1 by secret keys only.
  field_group smallint not null,
  bucket      text collate "C" not null,
  -- The third characters, and where the list of each ends in `lists`.
  thirds      text collate "C" not null,
  ends        integer[] not null,
  lists       bytea not null,
  -- Led by the segment: a new one is appended to the index, and touches no page of the others.
  primary key (team_id, kind, segment, field_group, bucket)
);
-- A query reads the few bytes of one list, which PostgreSQL can cut out of a value that it does not compress.
alter table search_segments alter column ids set storage external;
alter table search_postings alter column lists set storage external;

-- Rows whose texts differ from what their segment has, or that it does not have. Searched one by one until the segment is rebuilt.
create table search_changed (
  team_id bigint not null,
  kind    text not null,
  id      text collate "C" not null,
  -- Each change has its own row, so that a rebuild removes those that it has seen and no others.
  n       bigint generated always as identity,
  primary key (team_id, kind, id, n)
);

-- Progress of one team and kind.
create table search_builds (
  team_id      bigint not null,
  kind         text not null,
  -- When there may be something to build; null while nothing is known.
  due_at       timestamptz,
  leased_until timestamptz,
  -- Increases with each claim: a worker whose lease has ended commits nothing.
  claim        integer not null default 0,
  next_segment integer not null default 0,
  -- Changes of rows with ids up to this one are recorded in search_changed. Transactions that may not have seen it began before
  -- marked_xid; once they have ended, the rows up to marked_id can be covered.
  marked_id    text collate "C",
  marked_xid   xid8,
  primary key (team_id, kind)
);
create index search_builds_due on search_builds (due_at) where due_at is not null;

grant select, insert, delete on search_segments, search_postings, search_changed to pirogue_app;
grant select, insert, update on search_builds to pirogue_app;
select pirogue_protect('search_segments'), pirogue_protect('search_postings'), pirogue_protect('search_changed'),
  pirogue_protect('search_builds');

-- The argument of both triggers is the kind. They run as the owner, because the plan of a statement under a policy is made again
-- each time the role alternates; they see the rows of their statement only.
create function pirogue_search_changed() returns trigger language plpgsql security definer as $$
begin
  insert into public.search_changed (team_id, kind, id)
  select b.team_id, b.kind, old.id from public.search_builds b
  where b.team_id = old.team_id and b.kind = tg_argv[0] and old.id <= b.marked_id;
  return null;
end $$;
create function pirogue_search_inserted() returns trigger language plpgsql security definer as $$
begin
  insert into public.search_changed (team_id, kind, id)
  select b.team_id, b.kind, i.id from inserted i join public.search_builds b on b.team_id = i.team_id
  where b.kind = tg_argv[0] and i.id <= b.marked_id;
  return null;
end $$;
revoke execute on function pirogue_search_changed(), pirogue_search_inserted() from public;

create trigger payments_search_changed after update of reference, description, name, email, phone on payments for each row
  when ((old.reference, old.description, old.name, old.email, old.phone)
    is distinct from (new.reference, new.description, new.name, new.email, new.phone))
  execute function pirogue_search_changed('payments');
create trigger payments_search_deleted after delete on payments for each row execute function pirogue_search_changed('payments');
create trigger payments_search_inserted after insert on payments referencing new table as inserted for each statement
  execute function pirogue_search_inserted('payments');

-- The teams that exist, found with one index step each.
insert into search_builds (team_id, kind, due_at)
with recursive known as (
  (select team_id from payments order by team_id limit 1)
  union all
  select next.team_id from known cross join lateral (
    select team_id from payments p where p.team_id > known.team_id order by p.team_id limit 1) next
)
select team_id, 'payments', pirogue_now() from known;
