-- Up Migration

-- People who are signed in to the console act in the stores too: actor_id is `usr_…:ses_…`, the user and the console session.
-- migration: allow contract because the constraint that replaces it accepts more
alter table audit_entries drop constraint audit_entries_actor_check;
alter table audit_entries add constraint audit_entries_actor_check
  check (actor in ('key', 'payer', 'operator', 'provider', 'worker', 'user')) not valid;
