-- Up Migration

-- What was administered: as in the stores (migrations/store/0012_audit.sql). Written and sealed by the command line, which
-- connects as the owner; the service has no right to any of it.

create table audit_entries (
  -- Null: the whole installation.
  team_id     bigint,
  id          bigint generated always as identity primary key,
  tx          xid8 not null default pg_current_xact_id(),
  created_at  timestamptz(3) not null,
  actor       text not null check (actor in ('key', 'payer', 'operator', 'provider', 'worker')),
  actor_id    text,
  request_id  text,
  address     text,
  action      text not null,
  resource_id text collate "C" not null
);
create index audit_entries_team on audit_entries (team_id, id);
create index audit_entries_resource on audit_entries (resource_id);
create index audit_entries_tx on audit_entries (tx, id);

create table audit_seals (
  id        bigint generated always as identity primary key,
  after_tx  xid8 not null,
  up_to_tx  xid8 not null,
  entries   integer not null,
  previous  bytea not null,
  hash      bytea not null,
  sealed_at timestamptz(3) not null default now()
);
create unique index audit_seals_chain on audit_seals (after_tx);
