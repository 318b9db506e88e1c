-- Up Migration

-- What comparing a provider's statement with the books came to (docs/reconciliation.md). Written by `pirogue reconcile`, as the
-- owner; the lines themselves are compared in a temporary table and not kept.

create table reconciliation_runs (
  team_id          bigint not null,
  id               text collate "C" not null,
  provider         text not null,
  provider_account text not null,
  account_name     text not null,
  file_name        text not null,
  -- SHA-256: tells whether the same file was compared before.
  file_hash        text not null,
  -- What the statement is held to be complete for.
  from_at          timestamptz(3) not null,
  to_at            timestamptz(3) not null,
  -- Whether evidence was entered and corrections were posted. False: it was only looked.
  applied          boolean not null,
  -- Lines that were read, skipped and wrong; count and sum by verdict.
  reading          json not null,
  tallies          json not null,
  author           text not null,
  created_at       timestamptz(3) not null,
  -- Null: still running, or killed. Running the file again does what is left.
  finished_at      timestamptz(3),
  primary key (team_id, id)
);
create index reconciliation_runs_file on reconciliation_runs (team_id, provider_account, file_hash);

-- One row for each difference. Ids and amounts only: no name and no number of a payer.
create table reconciliation_breaks (
  team_id        bigint not null,
  run_id         text collate "C" not null,
  kind           text collate "C" not null check (kind in ('missing_here', 'missing_there', 'amount', 'duplicate', 'late', 'unknown')),
  id             bigint generated always as identity,
  flow           text not null check (flow in ('collect', 'payout', 'refund')),
  line           integer,
  key            text,
  reference      text,
  subject_id     text collate "C",
  of_id          text collate "C",
  leg            integer,
  there_minor    bigint,
  there_currency text,
  there_at       timestamptz(3),
  there_status   text check (there_status in ('succeeded', 'failed')),
  here_minor     bigint,
  here_currency  text,
  here_at        timestamptz(3),
  here_standing  text check (here_standing in ('succeeded', 'open', 'waiting', 'ended')),
  action         text not null check (action in ('close', 'correct', 'none')),
  state          text not null default 'open' check (state in ('open', 'closed', 'held', 'settled', 'refused')),
  outcome        text,
  primary key (team_id, run_id, kind, id)
);

grant select on reconciliation_runs, reconciliation_breaks to pirogue_app;
select pirogue_protect('reconciliation_runs');
select pirogue_protect('reconciliation_breaks');
