-- Up Migration

-- Holds, refunds, transfers, tranches, subaccounts, disputes, sealed books.

-- ---------------------------------------------------------------------------------------------- payments
-- A payment collected in pieces: when the next piece is to be sent. Null: nothing to send.
alter table payments add column continue_at timestamptz(3);
create index payments_continue on payments (continue_at) where continue_at is not null;
-- The split that held when the payment was made: {type, value}, so that a changed account affects new payments only.
alter table payments add column split json;

-- Money of this attempt that the payment can not keep: to be given back to the payer by the refunds' worker.
alter table attempts add column giveback boolean not null default false;
create index attempts_giveback on attempts (team_id, id) where giveback;

-- What waits to become available: one row for each party of a succeeded payment.
create table settlement_items (
  team_id      bigint not null,
  payment_id   text collate "C" not null,
  -- '' is the team itself, else the connected subaccount.
  account_id   text collate "C" not null,
  currency     text not null,
  -- What the party got from the payment: the measure by which refunds are shared.
  share_minor  bigint not null check (share_minor >= 0),
  -- What still waits of it; refunds take from here first.
  amount_minor bigint not null check (amount_minor >= 0),
  release_at   timestamptz(3) not null,
  released_at  timestamptz(3),
  -- The journal source that released it.
  released_by  text collate "C",
  primary key (team_id, payment_id, account_id)
);
create index settlement_items_due on settlement_items (release_at) where released_at is null;

-- ----------------------------------------------------------------------------------------------- refunds
create table refunds (
  team_id        bigint not null,
  id             text collate "C" not null,
  payment_id     text collate "C" not null,
  -- merchant: asked for by POST /refunds. giveback: captured money that the payment could not keep, from `hold`.
  kind           text not null check (kind in ('merchant', 'giveback')),
  -- The attempt whose money a giveback returns.
  attempt_id     text collate "C",
  -- One for each attempt the money came by: [{attempt_id, amount_minor, provider_key, provider_ref, status}].
  legs           json not null,
  amount_minor   bigint not null check (amount_minor > 0),
  currency       text not null,
  status         text not null check (status in ('pending', 'processing', 'succeeded', 'failed')),
  reason         text not null,
  failure_reason text,
  message        text,
  metadata       json,
  -- Where the money was drawn: [{account, amount_minor, item}]. Null while it is not covered.
  draws          json,
  event_count    integer not null default 0,
  polls          integer not null default 0,
  next_poll_at   timestamptz(3),
  key_id         text,
  request_id     text,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  submitted_at   timestamptz(3),
  completed_at   timestamptz(3),
  primary key (team_id, id)
) with (fillfactor = 85);
create index refunds_payment on refunds (team_id, payment_id, id);
create index refunds_poll on refunds (next_poll_at) where next_poll_at is not null;
-- Money is given back once for each attempt.
create unique index refunds_one_giveback on refunds (team_id, attempt_id) where kind = 'giveback';

-- --------------------------------------------------------------------------- beneficiaries and transfers
create table beneficiaries (
  team_id        bigint not null,
  id             text collate "C" not null,
  name           text not null,
  channel        text not null,
  type           text not null,
  country        text not null,
  currency       text not null,
  account_number text,
  phone          text,
  email          text,
  bank_code      text,
  description    text,
  reference      text,
  metadata       json,
  event_count    integer not null default 0,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  primary key (team_id, id)
);

create table transfers (
  team_id        bigint not null,
  id             text collate "C" not null,
  reference      text,
  amount_minor   bigint not null check (amount_minor > 0),
  fee_minor      bigint not null check (fee_minor >= 0),
  currency       text not null,
  status         text not null check (status in ('processing', 'succeeded', 'failed', 'cancelled')),
  reason         text check (reason in ('insufficient_balance', 'invalid_recipient', 'recipient_unregistered')),
  message        text,
  description    text,
  beneficiary_id text collate "C",
  -- The recipient as it was when the transfer was made: {name, phone, account_number, bank_code, country, email}.
  recipient      json not null,
  channel        text not null,
  metadata       json,
  provider       text,
  provider_key   text not null,
  provider_ref   text,
  decision       json,
  -- reserved: in `reserved`, not handed over. dispatched: in `in.transit`, may be at the provider. closed: final.
  stage          text not null check (stage in ('reserved', 'dispatched', 'closed')),
  event_count    integer not null default 0,
  polls          integer not null default 0,
  next_poll_at   timestamptz(3),
  key_id         text not null,
  request_id     text not null,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  dispatched_at  timestamptz(3),
  completed_at   timestamptz(3),
  primary key (team_id, id)
) with (fillfactor = 85);
create index transfers_status on transfers (team_id, status, id);
create index transfers_poll on transfers (next_poll_at) where next_poll_at is not null;

-- ---------------------------------------------------------------------------------------------- accounts
-- Connected subaccounts: what is paid for them is split with the team.
create table accounts (
  team_id          bigint not null,
  id               text collate "C" not null,
  name             text not null,
  email            text not null,
  phone            text,
  business_profile json,
  -- {type: percentage | fixed, value}: the platform's share.
  split            json,
  settlement       json,
  metadata         json,
  active           boolean not null default true,
  verification     text not null default 'pending' check (verification in ('pending', 'verified', 'rejected')),
  event_count      integer not null default 0,
  created_at       timestamptz(3) not null,
  updated_at       timestamptz(3) not null,
  primary key (team_id, id)
);

-- ---------------------------------------------------------------------------------------------- disputes
create table disputes (
  team_id      bigint not null,
  id           text collate "C" not null,
  payment_id   text collate "C" not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency     text not null,
  status       text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
  reason       text not null,
  evidence     json,
  -- Where the money was drawn, as in refunds.
  draws        json not null,
  due_at       timestamptz(3),
  event_count  integer not null default 0,
  created_at   timestamptz(3) not null,
  updated_at   timestamptz(3) not null,
  closed_at    timestamptz(3),
  primary key (team_id, id)
);
create unique index disputes_one_open on disputes (team_id, payment_id) where status in ('needs_response', 'under_review');

-- ---------------------------------------------------------------------------------------------- statements
-- GET /balance/history walks each bucket in its own order, however long the book is. The platform's own accounts are not
-- shown to merchants and stay out; src/money/ledger/history.ts repeats the condition word for word.
create index postings_debit on postings (team_id, debit, currency, journal_id, line)
  where debit not in ('clearing', 'refund_clearing', 'fee_income');
create index postings_credit on postings (team_id, credit, currency, journal_id, line)
  where credit not in ('clearing', 'refund_clearing', 'fee_income');
-- Nearly every journal is a success, which is found on the way; the others by what happened.
create index journals_kind on journals (team_id, split_part(kind, ':', 1), id) where kind <> 'payment.succeeded';

-- ---------------------------------------------------------------------------------------- sealed journals
-- Which transaction booked it: rows of transactions older than the oldest running one can not change in number any more.
alter table journals add column tx xid8 not null default pg_current_xact_id();
create index journals_tx on journals (tx, id);

-- A hash chain over the journals of closed transactions: [after_tx, up_to_tx).
create table ledger_seals (
  id        bigint generated always as identity primary key,
  after_tx  xid8 not null,
  up_to_tx  xid8 not null,
  journals  integer not null,
  previous  bytea not null,
  hash      bytea not null,
  sealed_at timestamptz(3) not null default now()
);
create unique index ledger_seals_chain on ledger_seals (after_tx);

grant select, insert, update, delete on settlement_items, refunds, beneficiaries, transfers, accounts, disputes to pirogue_app;
grant select, insert on ledger_seals to pirogue_app;
