-- Up Migration

-- The one clock, as in the stores (migrations/store/0058_clock.sql says why it is this function).
create function pirogue_now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';

alter table teams alter column created_at set default pirogue_now(), alter column updated_at set default pirogue_now();
alter table api_keys alter column created_at set default pirogue_now();
alter table audit_seals alter column sealed_at set default pirogue_now();
