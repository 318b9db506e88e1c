-- Up Migration

-- The API requests of teams in the last days (src/tenants/request-log, docs/decisions/0095-request-log.md). Partitioned by day and
-- forgotten by dropping a partition (docs/decisions/0074-partitions.md).
create table request_log (
  team_id     bigint not null,
  -- Ends as the id that the service gave to the request, unless the caller chose one.
  id          text collate "C" not null,
  -- Null: the service chose it, and it is `req_` with the end of the row's id.
  request_id  text collate "C",
  method      text not null,
  -- Fixed segments of the API and ids of the service: what a caller chose is replaced, and there is no query.
  path        text not null,
  status      smallint not null,
  duration_ms integer not null,
  -- Id of the key, or of the person in the console.
  caller      text not null,
  error_code  text,
  created_at  timestamptz(3) not null,
  primary key (team_id, id)
) partition by range (id);
create index request_log_request on request_log (team_id, request_id, id) where request_id is not null;
create index request_log_failed on request_log (team_id, id) where status >= 400;
grant select, insert on request_log to pirogue_app;
select pirogue_protect('request_log');
create table pirogue_partitions.request_log_default partition of request_log default;
select pirogue_protect('pirogue_partitions.request_log_default');

-- How many requests of a team were reported on a UTC day. Above a maximum they are not stored.
create table request_log_days (
  team_id  bigint not null,
  day      timestamptz(3) not null,
  requests bigint not null,
  primary key (team_id, day)
) partition by range (day);
grant select, insert, update on request_log_days to pirogue_app;
select pirogue_protect('request_log_days');
create table pirogue_partitions.request_log_days_default partition of request_log_days default;
select pirogue_protect('pirogue_partitions.request_log_days_default');

insert into pirogue_partitions.rules (parent, key, id_prefix, period, own_unique, needed) values
  ('request_log', 'id', 'rql', 'day', null, 'select false'),
  ('request_log_days', 'day', null, 'day', null, 'select false');
