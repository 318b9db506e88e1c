-- Up Migration

-- migration: no transaction
-- Empty until payments are archived.
create index concurrently if not exists payments_archived on payments (team_id, archived_key) where archived_key is not null;
