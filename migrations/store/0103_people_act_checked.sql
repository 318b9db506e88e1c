-- Up Migration

alter table audit_entries validate constraint audit_entries_actor_check;
