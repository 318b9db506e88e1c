-- Up Migration

-- A hash chain for each group of teams over the journals of closed transactions: [after_tx, up_to_tx). The first seal of a group follows
-- a seal of the chain of all teams (ledger_seals), which the previous release continues while it runs.
-- migration: allow protect because the rows belong to no team
create table ledger_group_seals (
  -- team_id & 15
  team_group smallint not null,
  -- Number of the seal in its chain, from 1.
  n          bigint not null,
  after_tx   xid8 not null,
  up_to_tx   xid8 not null,
  journals   integer not null,
  previous   bytea not null,
  hash       bytea not null,
  sealed_at  timestamptz(3) not null default pirogue_now(),
  primary key (team_group, n),
  constraint ledger_group_seals_chain unique (team_group, after_tx)
);

-- The same over the entries of the audit trail.
-- migration: allow protect because the rows belong to no team
create table audit_group_seals (
  team_group smallint not null,
  n          bigint not null,
  after_tx   xid8 not null,
  up_to_tx   xid8 not null,
  entries    integer not null,
  previous   bytea not null,
  hash       bytea not null,
  sealed_at  timestamptz(3) not null default pirogue_now(),
  primary key (team_group, n),
  constraint audit_group_seals_chain unique (team_group, after_tx)
);

grant select, insert on ledger_group_seals, audit_group_seals to pirogue_app;
