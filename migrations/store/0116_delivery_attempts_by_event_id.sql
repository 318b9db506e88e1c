-- Up Migration

-- Finds the attempts to deliver an event under row-level security, which delivery_attempts_event (0104) cannot, as in 0115.
-- migration: allow index-concurrently because PostgreSQL cannot index a partitioned table concurrently; only the senders of webhooks write here, and they send again what they could not record
create index if not exists delivery_attempts_of_event on delivery_attempts (event_id);
-- migration: allow contract because no role of the service could use it
-- migration: allow drop-index-concurrently because PostgreSQL cannot drop the index of a partitioned table concurrently; the lock lasts for the drop only
drop index if exists delivery_attempts_event;
