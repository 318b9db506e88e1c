-- Up Migration

-- The tables that `pirogue partition` is turning into partitioned ones (docs/decisions/0098-tables-kept-for-ever.md). A row is deleted when
-- its table is partitioned.
-- migration: allow protect because no role of the service can read it
create table pirogue_partitions.conversions (
  parent     text primary key,
  partitions integer not null,
  step       text not null check (step in ('copy', 'index', 'compare', 'switch')),
  -- The primary key of the last row that this step has done, as texts. Null: none yet.
  reached    text[],
  row_count  bigint not null default 0,
  started_at timestamptz(3) not null default pirogue_now()
);
