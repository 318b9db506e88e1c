-- Up Migration

-- Kept answers of idempotency keys are forgotten after a day. Only rows with one are in the index, which grows at its end:
-- the sweep finds the oldest without a search.
create index idempotency_keys_kept on idempotency_keys (created_at) where answer is not null;
