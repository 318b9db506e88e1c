-- Up Migration

-- What the running processes tell each other: which databases they reach and how their clocks differ (topic `node`), and how the provider
-- accounts work that they call (topic `provider`). One row for each node, topic and key, replaced by its next report. Rows older than
-- 15 minutes are deleted. Unlogged: it costs no log and no flush, and after a crash or a failover nothing in it would be true.
create unlogged table node_reports (
  node text not null,
  topic text not null,
  key text not null,
  body jsonb not null,
  reported_at timestamptz not null,
  primary key (node, topic, key)
);
create index node_reports_reported on node_reports (reported_at);
grant select, insert, update, delete on node_reports to pirogue_app;
