-- Up Migration

-- The rules against abuse (docs/abuse.md). Payers are known by keyed hashes only. Used in live.

-- Whom an operator refuses. Of numbers and e-mail addresses the keyed hash, of networks the network, of customers the id.
create table abuse_blocks (
  team_id    bigint not null,
  id         text collate "C" not null,
  kind       text collate "C" not null check (kind in ('payer', 'email', 'customer', 'address')),
  value      text collate "C" not null,
  -- Of addresses: what `value` says.
  network    inet,
  note       text,
  created_at timestamptz(3) not null,
  -- Null: until it is removed.
  expires_at timestamptz(3),
  primary key (team_id, id),
  check ((kind = 'address') = (network is not null))
);
create unique index abuse_blocks_value on abuse_blocks (team_id, kind, value);

-- When a payer was charged lately, a day back at most: one row for each, so that charges at once wait for one another.
create table abuse_payers (
  team_id    bigint not null,
  payer_hash text collate "C" not null,
  charges    timestamptz(3)[] not null,
  last_at    timestamptz(3) not null,
  primary key (team_id, payer_hash)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index abuse_payers_last on abuse_payers (last_at);

-- Charges of a team in each ten minutes.
create table abuse_windows (
  team_id   bigint not null,
  starts_at timestamptz(3) not null,
  charges   integer not null,
  primary key (team_id, starts_at)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- What is usual for a team, made again about every hour: its busiest ten minutes, and by currency the amount that 99 in 100 of its
-- payments did not exceed.
create table abuse_paces (
  team_id  bigint not null primary key,
  busiest  integer not null default 0,
  made_at  timestamptz(3) not null
);
create table abuse_amounts (
  team_id    bigint not null,
  currency   text collate "C" not null,
  payments   integer not null,
  high_minor bigint not null,
  primary key (team_id, currency)
);

-- What was refused, by which rule, with the figures: one row for a payment and rule, however often it was tried.
create table abuse_refusals (
  team_id    bigint not null,
  payment_id text collate "C" not null,
  rule       text collate "C" not null check (rule in ('block', 'amount', 'payer_velocity', 'team_velocity')),
  figures    json not null,
  times      integer not null,
  first_at   timestamptz(3) not null,
  last_at    timestamptz(3) not null,
  primary key (team_id, payment_id, rule)
);
create index abuse_refusals_last on abuse_refusals (last_at);

grant select on abuse_blocks to pirogue_app;
grant select, insert, update, delete on abuse_payers, abuse_windows, abuse_paces, abuse_amounts, abuse_refusals to pirogue_app;
select pirogue_protect('abuse_blocks');
select pirogue_protect('abuse_payers');
select pirogue_protect('abuse_windows');
select pirogue_protect('abuse_paces');
select pirogue_protect('abuse_amounts');
select pirogue_protect('abuse_refusals');
