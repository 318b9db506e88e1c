-- Up Migration

-- migration: no transaction
-- A payment is tried again by one payment at most. Almost all payments are no retry: the index stays small.
create unique index concurrently if not exists payments_retry_of on payments (team_id, retry_of) where retry_of is not null;
