-- Up Migration

-- Customers: who pays, as the merchant knows them; what is saved of their means; what erasing one needs.

-- Substring search. A trusted extension since PostgreSQL 13: the owner of the database may create it.
create extension if not exists pg_trgm;

-- -------------------------------------------------------------------------------------------- customers
create table customers (
  team_id      bigint not null,
  id           text collate "C" not null,
  name         text,
  -- As sent; found without regard to case.
  email        text collate "C",
  -- A leading plus and digits, nothing else: one number is one text.
  phone        text collate "C",
  company_name text,
  address      json,
  billing      json,
  tax_id       text,
  metadata     json,
  blocked_at   timestamptz(3),
  -- Erased: anonymised in the same transaction.
  archived_at  timestamptz(3),
  event_count  integer not null default 0,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  primary key (team_id, id)
) with (autovacuum_analyze_scale_factor = 0.05);
-- A payment finds its customer by these, and two that come at once make one customer, whatever the code believes.
create unique index customers_email on customers (team_id, lower(email));
create unique index customers_phone on customers (team_id, phone);

-- What `search` looks in, folded (no capitals, no accents): one row for each customer, gone with its erasure.
create table customer_search (
  team_id     bigint not null,
  customer_id text collate "C" not null,
  text        text not null,
  primary key (team_id, customer_id)
);
create index customer_search_text on customer_search using gin (text gin_trgm_ops);

-- A means of payment that can be used again: the vault entry. Number or provider token are sealed.
create table payment_methods (
  team_id          bigint not null,
  id               text collate "C" not null,
  customer_id      text collate "C" not null,
  type             text not null check (type in ('mobile_money', 'bank', 'card')),
  channel          text not null,
  -- Whose token it is; a number that every provider takes has none.
  provider_account text,
  brand            text,
  last4            text,
  token_sealed     text not null,
  -- Keyed hash of the token: the same means is saved once.
  fingerprint      text not null,
  created_at       timestamptz(3) not null,
  last_used_at     timestamptz(3) not null,
  primary key (team_id, id)
);
create unique index payment_methods_once on payment_methods (team_id, customer_id, fingerprint);
create index payment_methods_customer on payment_methods (team_id, customer_id, id);

-- What the law makes the merchant keep: an approved record keeps the tax id through an erasure.
create table compliance_records (
  team_id     bigint not null,
  customer_id text collate "C" not null,
  status      text not null check (status in ('pending', 'approved', 'rejected')),
  author      text not null,
  note        text,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null,
  primary key (team_id, customer_id)
);

-- Every erasure that was done, and when it is gone over once more for what was under way at its moment.
create table erasures (
  team_id      bigint not null,
  customer_id  text collate "C" not null,
  -- Who asked for it.
  key_id       text not null,
  request_id   text not null,
  payments     integer not null,
  tax_id_kept  boolean not null,
  erased_at    timestamptz(3) not null,
  revisit_at   timestamptz(3),
  primary key (team_id, customer_id)
);
create index erasures_revisit on erasures (revisit_at) where revisit_at is not null;

-- --------------------------------------------------------------------------------------------- payments
-- The statement that makes a payment writes '' for a customer that another transaction is just making: it is refused
-- here, and run again when that customer can be seen (docs/decisions/0025-customers-and-erasure.md).
alter table payments add constraint payments_customer_seen check (customer_id <> '');
create index payments_customer on payments (team_id, customer_id, id) where customer_id is not null;

-- Keyed hash of `payer`, which goes when nothing needs the number any more.
alter table attempts add column payer_hash text;
create index attempts_payer on attempts (closed_at) where payer is not null and closed_at is not null;

-- Answers that may hold personal data, by what they are about.
create index delivery_attempts_answers on delivery_attempts (event_id) where response_body <> '';
create index idempotency_keys_answers on idempotency_keys (team_id, resource_id) where answer is not null;

grant select, insert, update, delete on customers, customer_search, payment_methods to pirogue_app;
grant select on compliance_records to pirogue_app;
-- Older versions of an event's body are made again from the event, which an erasure may change.
grant delete on event_bodies to pirogue_app;
-- What was erased stays recorded.
grant select, insert, update on erasures to pirogue_app;
