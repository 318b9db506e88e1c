-- Up Migration

-- Who did what to what, from where: written in the transaction of the act, never changed, sealed into a hash chain
-- (docs/audit.md). Ids only: no name, no number, no address of a payer.

create table audit_entries (
  team_id     bigint not null,
  id          bigint generated always as identity,
  -- Which transaction wrote it: as with journals, closed transactions can be sealed.
  tx          xid8 not null default pg_current_xact_id(),
  created_at  timestamptz(3) not null,
  -- Who, and by which key, or as which user of the machine. Payers and the service itself have no id.
  actor       text not null check (actor in ('key', 'payer', 'operator', 'provider', 'worker')),
  actor_id    text,
  request_id  text,
  -- From where: the calling address of a key that stands on a server, or the operator's machine.
  address     text,
  action      text not null,
  resource_id text collate "C" not null,
  primary key (team_id, id)
);
-- Ids are nobody else's: the team need not be named to find one.
create index audit_entries_resource on audit_entries (resource_id);
create index audit_entries_tx on audit_entries (tx, id);

-- A hash chain over the entries of closed transactions: [after_tx, up_to_tx).
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

-- Column by column: nobody but the database says in which transaction an entry was written.
grant select, insert (team_id, created_at, actor, actor_id, request_id, address, action, resource_id) on audit_entries to pirogue_app;
grant select, insert on audit_seals to pirogue_app;
