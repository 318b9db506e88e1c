-- Worker processes, each until the end of its membership (src/platform/work/shards.ts).
-- migration: allow protect because the rows belong to no team
create table work_members (
  member  uuid primary key,
  ends_at timestamptz not null
);
grant select, insert, update, delete on work_members to pirogue_all_teams;
