-- Up Migration

-- What a team's accounts at providers hold, as they last said (docs/float.md). A hint for routing and a reason to wake somebody:
-- nothing is booked by it, and it proves nothing about a payout.

-- When an account was last asked: whoever moves the moment asks. Two workers never ask at once.
create table float_polls (
  team_id    bigint not null,
  account_id text collate "C" not null,
  asked_at   timestamptz(3) not null,
  -- When it last answered, and why it did not the last time (null: it did).
  read_at    timestamptz(3),
  error      text,
  primary key (team_id, account_id)
);

create table floats (
  team_id      bigint not null,
  account_id   text collate "C" not null,
  currency     text collate "C" not null,
  -- What it serves: a country (cm), a channel (cm.mtn), everything in its currency (empty).
  area         text collate "C" not null,
  use          text collate "C" not null check (use in ('collection', 'payout', 'both')),
  amount_minor bigint not null,
  -- When the account was asked: what it held is not older.
  read_at      timestamptz(3) not null,
  primary key (team_id, account_id, currency, area, use)
);

-- Below what somebody wants to be told. An empty area: of every float in the currency that has no alert of its own.
create table float_alerts (
  team_id     bigint not null,
  account_id  text collate "C" not null,
  currency    text collate "C" not null,
  area        text collate "C" not null,
  below_minor bigint not null check (below_minor > 0),
  primary key (team_id, account_id, currency, area)
);

grant select, insert, update on float_polls to pirogue_app;
grant select, insert, update, delete on floats to pirogue_app;
grant select on float_alerts to pirogue_app;
select pirogue_protect('float_polls');
select pirogue_protect('floats');
select pirogue_protect('float_alerts');
