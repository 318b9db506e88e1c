-- Up Migration

-- Retries of a failing endpoint are found without walking its first tries. Only retries are in it: a new delivery writes no entry.
create index deliveries_retries on deliveries (endpoint_id, due_at) where tries > 0;

-- Since when no new delivery is queued for the endpoint, because its backlog is at the limit; null: they are queued.
alter table webhook_endpoints add column backlog_full_since timestamptz(3);
-- The endpoints that a sweep has to look at to queue for them again.
create index webhook_endpoints_full on webhook_endpoints (id) where backlog_full_since is not null;
