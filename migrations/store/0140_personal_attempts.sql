-- Up Migration

-- migration: no transaction
-- Attempts that still have the payer's number or address, by their end. Card charges have an address and no number.
create index concurrently if not exists attempts_personal on attempts (closed_at)
  where closed_at is not null and (payer is not null or client_ip is not null);
-- migration: allow contract because the new index serves what this one served, also for the release before
drop index concurrently if exists attempts_payer;
