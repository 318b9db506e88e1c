-- Up Migration

-- Mail to be sent, what teams have moved against their ceilings, event bodies of older versions of the API.

-- -------------------------------------------------------------------------------------------------- mail
-- Written in the transaction of what it tells of, sent by a worker, gone a month later.
create table mails (
  team_id    bigint not null,
  -- The Message-ID too: a mail that is sent twice because a worker died can be told to be one.
  id         uuid not null default gen_random_uuid(),
  kind       text not null,
  -- What the text of this kind tells; the text itself is written when it is sent.
  facts      json not null,
  -- Null: the owner of the team, whose address is in the control database.
  recipient  text,
  tries      integer not null default 0,
  -- When it is to be tried. Null: done with.
  due_at     timestamptz default now(),
  sent_at    timestamptz,
  -- Why the last try failed: a code, never the server's words, which name people.
  error      text,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_done on mails (created_at) where due_at is null;

-- When a mail of this name was last written: what happens in a loop is told once in a while.
create table mail_turns (
  team_id  bigint not null,
  name     text not null,
  taken_at timestamptz not null default now(),
  primary key (team_id, name)
);

-- ---------------------------------------------------------------------------------------------- ceilings
-- What a team has moved, or is moving, in a UTC day (2026-11-21) and month (2026-11).
create table ceiling_uses (
  team_id    bigint not null,
  direction  text not null check (direction in ('payment', 'transfer')),
  currency   text not null,
  period     text collate "C" not null,
  used_minor bigint not null check (used_minor >= 0),
  primary key (team_id, direction, currency, period)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- The day under which it is counted. Null: the team had no ceilings when it was made.
alter table attempts add column counted_day text;
alter table transfers add column counted_day text;

-- ------------------------------------------------------------------------------------------------ events
-- The bytes of an event for endpoints pinned to a version older than the event's own: made when first delivered.
create table event_bodies (
  team_id     bigint not null,
  event_id    text collate "C" not null,
  api_version text not null,
  body        text not null,
  primary key (team_id, event_id, api_version),
  foreign key (team_id, event_id) references events on delete cascade
);

grant select, insert, update, delete on mails, mail_turns, ceiling_uses to pirogue_app;
grant select, insert on event_bodies to pirogue_app;
