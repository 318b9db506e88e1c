-- Up Migration

-- What was sent to providers and came back, for the page of a payment (src/providers/exchanges, docs/decisions/0095-request-log.md).
-- Partitioned by day and forgotten by dropping a partition (docs/decisions/0074-partitions.md).
create table provider_exchanges (
  team_id        bigint not null,
  id             text collate "C" not null,
  -- Attempt, payout or refund.
  subject_id     text collate "C" not null,
  provider       text not null,
  account_id     text not null,
  method         text not null,
  -- Without host and query; what is neither a word nor a random id is replaced.
  path           text not null,
  -- Null: no complete response, for the reason in `error`.
  status         smallint,
  error          text,
  duration_ms    integer not null,
  -- JSON of the listed fields only, at most 4,000 characters. Null: not JSON.
  request        text check (length(request) <= 4000),
  response       text check (length(response) <= 4000),
  response_bytes integer not null,
  created_at     timestamptz(3) not null,
  primary key (team_id, id)
) partition by range (id);
create index provider_exchanges_subject on provider_exchanges (team_id, subject_id, id);
grant select, insert on provider_exchanges to pirogue_app;
select pirogue_protect('provider_exchanges');
create table pirogue_partitions.provider_exchanges_default partition of provider_exchanges default;
select pirogue_protect('pirogue_partitions.provider_exchanges_default');

insert into pirogue_partitions.rules (parent, key, id_prefix, period, own_unique, needed) values
  ('provider_exchanges', 'id', 'pex', 'day', null, 'select false');
