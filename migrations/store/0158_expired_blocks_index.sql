-- migration: no transaction
-- Finds the blocks that have expired. Most last until they are removed.
create index concurrently if not exists abuse_blocks_expires on abuse_blocks (expires_at) where expires_at is not null;
