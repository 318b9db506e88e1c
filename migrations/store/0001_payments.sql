-- Up Migration

-- One store (sandbox or live; the same file makes both). team_id leads every key, so that a store can be spread by
-- team. Ids are text that sorts by time: "newest first" is "id descending", and no second index is needed for it.

-- ---------------------------------------------------------------------------------------------- payments
create table payments (
  team_id         bigint not null,
  id              text collate "C" not null,
  reference       text,
  amount_minor    bigint not null check (amount_minor > 0),
  fee_minor       bigint not null default 0 check (fee_minor >= 0),
  captured_minor  bigint not null default 0 check (captured_minor >= 0),
  refunded_minor  bigint not null default 0 check (refunded_minor >= 0 and refunded_minor <= captured_minor),
  currency        text not null,
  status          text not null default 'pending' check (status in ('pending', 'processing', 'partial', 'succeeded',
                    'failed', 'cancelled', 'expired', 'refunded', 'partially_refunded')),
  bearer          text not null default 'merchant' check (bearer in ('merchant', 'customer')),
  channel         text,
  description     text,
  settled         boolean not null default false,
  reason          text,
  message         text,
  customer_id     text collate "C",
  account_id      text collate "C",
  payment_method  text,
  -- What the merchant told us of the payer; not the payer's own profile.
  name            text,
  email           text,
  phone           text,
  callback        text,
  -- items, address, shipping, theming, telemetry, metadata: echoed as sent, never searched.
  details         json,
  -- SHA-256 of the cookie of the browser that claimed the hosted page.
  claim           bytea,
  -- Copies of the team's setting at creation: a unique index can only see its own row.
  unique_reference boolean not null default false,
  event_count     integer not null default 0,
  -- Who created it: the audit trail of this write.
  key_id          text not null,
  request_id      text not null,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  expires_at      timestamptz(3) not null,
  completed_at    timestamptz(3),
  primary key (team_id, id)
) with (fillfactor = 85);
create index payments_status on payments (team_id, status, id);
create index payments_reference on payments (team_id, reference) where reference is not null;
create unique index payments_unique_reference on payments (team_id, reference) where unique_reference;
create index payments_expiry on payments (expires_at) where status in ('pending', 'partial');

-- One try to move money at one provider. The row is committed before anything is sent.
create table attempts (
  team_id       bigint not null,
  id            text collate "C" not null,
  payment_id    text collate "C" not null,
  provider      text not null,
  channel       text not null,
  -- created: not known to have been sent. open: the provider has it. unknown: it may have it.
  -- unavailable: it provably has not.
  status        text not null check (status in ('created', 'open', 'unknown', 'succeeded', 'failed', 'cancelled',
                  'expired', 'unavailable')),
  amount_minor  bigint not null check (amount_minor > 0),
  currency      text not null,
  -- The payer's number or account as the provider needs it; a test card only as its token.
  payer         text,
  country       text,
  -- The key under which the provider knows this attempt, made from our id: stored before anything is sent.
  provider_key  text not null,
  provider_ref  text,
  reason        text,
  message       text,
  -- What the payer has to do: {kind: confirm | otp | redirect | transfer, ...}.
  action        json,
  -- Why this provider was chosen.
  decision      json,
  client_ip     text,
  polls         integer not null default 0,
  next_poll_at  timestamptz(3),
  created_at    timestamptz(3) not null,
  submitted_at  timestamptz(3),
  closed_at     timestamptz(3),
  primary key (team_id, id)
) with (fillfactor = 85);
create index attempts_payment on attempts (team_id, payment_id);
-- At most one attempt of a payment can be moving money: the database refuses a second, whatever the code believes.
create unique index attempts_one_open on attempts (team_id, payment_id) where status in ('created', 'open', 'unknown');
create index attempts_poll on attempts (next_poll_at) where next_poll_at is not null;

-- ------------------------------------------------------------------------------------------- idempotency
create table idempotency_keys (
  team_id      bigint not null,
  route        text not null,
  key          text not null,
  -- SHA-256 of the canonical payload.
  request_hash bytea not null,
  resource_id  text,
  -- The answer as sent, when it can not be made again from the resource.
  answer       text,
  created_at   timestamptz(3) not null,
  primary key (team_id, route, key)
);

-- ------------------------------------------------------------------------------------ events and webhooks
create table events (
  team_id          bigint not null,
  id               text collate "C" not null,
  type             text not null,
  resource_id      text collate "C" not null,
  -- Counts the events of one resource from 1: receivers can put them in order.
  sequence         integer not null,
  pending_webhooks integer not null,
  -- The exact bytes every delivery carries and signs.
  body             text not null,
  created_at       timestamptz(3) not null,
  primary key (team_id, id),
  unique (team_id, resource_id, sequence)
);
create index events_type on events (team_id, type, id);

create table webhook_endpoints (
  team_id         bigint not null,
  id              text collate "C" not null,
  url             text not null,
  secret_sealed   text not null,
  events          text[] not null,
  description     text,
  active          boolean not null default true,
  metadata        json,
  api_version     text not null,
  -- Start of the present row of failures without one success; null after a success.
  failing_since   timestamptz(3),
  disabled_reason text,
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  primary key (team_id, id)
);

-- What is still to be sent: one row for each event and endpoint, gone when it succeeded or was given up.
create table deliveries (
  id          bigint generated always as identity primary key,
  team_id     bigint not null,
  endpoint_id text collate "C" not null,
  event_id    text collate "C" not null,
  -- Tries made so far.
  tries       smallint not null default 0,
  -- When it may be sent.
  due_at      timestamptz not null default now(),
  -- Who sends it: the first bytes are the end of the lease, after which a killed worker's rows are taken again. Not part of
  -- any index, so that a claim is an update in place.
  claim       uuid
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Led by endpoint: the backlog of a dead one is never walked to find the work of another.
create index deliveries_due on deliveries (endpoint_id, due_at);
create index deliveries_event on deliveries (event_id);

create table delivery_attempts (
  team_id         bigint not null,
  id              text collate "C" not null,
  endpoint_id     text collate "C" not null,
  event_id        text collate "C" not null,
  event_type      text not null,
  attempt         smallint not null,
  succeeded       boolean not null,
  response_status integer,
  response_body   text,
  error           text,
  duration_ms     integer not null,
  next_attempt_at timestamptz(3),
  created_at      timestamptz(3) not null,
  primary key (team_id, endpoint_id, id)
);

-- ------------------------------------------------------------------------------------------------ ledger
-- Accounts are named, not numbered: one account per team, currency and name (`available`, `clearing`,
-- `pending:acct_…`); src/money/ledger/accounts.ts is the chart. Every posting moves one positive amount of one currency
-- from one account to another of the same team, so the books balance by construction.
create table journals (
  team_id    bigint not null,
  id         bigint generated always as identity,
  kind       text not null,
  -- The attempt, refund, transfer, … whose change this journal books.
  source_id  text collate "C" not null,
  -- The payment or transfer under which people look for it.
  subject_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  primary key (team_id, id),
  -- Booking the same change twice inserts nothing.
  unique (team_id, source_id, kind)
);
create index journals_subject on journals (team_id, subject_id);

create table postings (
  team_id      bigint not null,
  journal_id   bigint not null,
  line         smallint not null,
  currency     text not null,
  debit        text not null,
  credit       text not null,
  amount_minor bigint not null check (amount_minor > 0),
  primary key (team_id, journal_id, line),
  check (debit <> credit)
);

-- Guarded accounts: one row, never below zero. Streamed accounts: this row plus all of balance_deltas.
create table balances (
  team_id      bigint not null,
  currency     text not null,
  account      text not null,
  guarded      boolean not null,
  posted_minor bigint not null default 0,
  primary key (team_id, currency, account),
  constraint balances_guard check (not guarded or posted_minor >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- Part of the balance, therefore logged; folded into balances by a worker.
create table balance_deltas (
  id           bigint generated always as identity primary key,
  team_id      bigint not null,
  currency     text not null,
  account      text not null,
  amount_minor bigint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index balance_deltas_account on balance_deltas (team_id, currency, account);

-- ------------------------------------------------------------------------------------------------- grants
-- The program works as this role; only migrations run as the owner. What is booked can not be changed by it.
grant usage on schema public to pirogue_app;
grant select, insert, update, delete on all tables in schema public to pirogue_app;
revoke update, delete on journals, postings from pirogue_app;
