-- Up Migration

-- Finds the attempts to deliver one event, for the page of a payment. The same characters of the id as in audit_entries_about: the time of
-- the event and a part of what is random, so that new entries go to the end of the index.
-- migration: allow index-concurrently because PostgreSQL cannot index a partitioned table concurrently; only the senders of webhooks write here, and they send again what they could not record
create index if not exists delivery_attempts_event on delivery_attempts (left(right(event_id, 26), 15));
