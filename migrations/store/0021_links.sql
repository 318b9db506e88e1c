-- Up Migration

-- Payment links: an address at which anyone can pay a merchant. Live only; the sandbox has the table because both stores
-- have the same migrations.

create table links (
  team_id          bigint not null,
  id               text collate "C" not null,
  title            text not null,
  description      text,
  reference        text,
  -- Null: the payer chooses, between the two below where they are set.
  amount_minor     bigint check (amount_minor > 0),
  min_amount_minor bigint check (min_amount_minor > 0),
  max_amount_minor bigint check (max_amount_minor >= min_amount_minor),
  currency         text not null,
  status           text not null default 'active' check (status in ('active', 'inactive', 'expired')),
  expires_at       timestamptz(3),
  max_uses         integer check (max_uses > 0),
  -- What the payer is asked for: name, email, phone.
  collect          text[] not null,
  callback         text,
  theming          json,
  metadata         json,
  -- Payments made through it. Those that may still succeed hold a use; each is counted in the transaction of its change.
  made_count       integer not null default 0,
  open_count       integer not null default 0 check (open_count >= 0),
  succeeded_count  integer not null default 0 check (succeeded_count >= 0),
  collected_minor  bigint not null default 0 check (collected_minor >= 0),
  event_count      integer not null default 0,
  -- Who created it: the audit trail of this write.
  key_id           text not null,
  request_id       text not null,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (team_id, id),
  -- Never paid more often than the merchant said, whatever the code believes.
  constraint links_uses check (succeeded_count + open_count <= max_uses)
-- Every payment through a link updates its row in place: no counter stands in an index.
) with (fillfactor = 70);
create index links_expiry on links (expires_at) where status = 'active' and expires_at is not null;

-- A payment that came through a link has it as its maker: found by it, at no cost for all the others.
create index payments_link on payments (team_id, key_id, id) where key_id like 'lnk\_%';

grant select, insert, update on links to pirogue_app;
