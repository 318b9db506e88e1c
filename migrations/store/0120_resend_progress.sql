-- Up Migration

-- The events of a range that were last sent to this endpoint again: the first falls due a millisecond after the start, and each a
-- millisecond after the one before it, so that the first that waits says how many were sent (src/money/webhooks/range-store.ts).
alter table webhook_endpoints add column resend_started_at timestamptz, add column resend_events integer;
