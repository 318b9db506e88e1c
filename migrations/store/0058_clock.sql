-- Up Migration

-- The one clock. Everything that decides about money, expiry, retention, idempotency, limits of days and grace periods reads
-- the time through this function, in SQL or by way of db/clock.ts; no node's own clock does (docs/decisions/0042-clock.md).
--
-- The time at which the statement came in: one value for the whole statement, and an index on a moment can be searched by it,
-- neither of which clock_timestamp() offers; unlike now(), it is not older than the locks that the transaction waited for.
-- Outside production a start may replace the body (CLOCK_SPEED); production refuses to run unless it is this one.
create function pirogue_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';

alter table deliveries alter column due_at set default pirogue_now();
alter table journals alter column created_at set default pirogue_now();
alter table mails alter column due_at set default pirogue_now(), alter column created_at set default pirogue_now();
alter table mail_turns alter column taken_at set default pirogue_now();
alter table ledger_seals alter column sealed_at set default pirogue_now();
alter table audit_seals alter column sealed_at set default pirogue_now();
