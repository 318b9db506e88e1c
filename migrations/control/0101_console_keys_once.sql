-- Up Migration

-- migration: no transaction
create unique index concurrently if not exists api_keys_once on api_keys (team_id, idempotency_key) where idempotency_key is not null;
