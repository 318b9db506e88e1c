-- Events and their older bodies become partitioned tables. Both are locked together, because one refers to the other: a partition that is
-- referred to cannot be dropped, so both are dropped by the same bounds instead. Older bodies are few: those of endpoints that are pinned
-- to an earlier version of the API.
-- migration: allow contract because the previous release does not need the reference: a trigger deletes the bodies
alter table event_bodies drop constraint event_bodies_team_id_event_id_fkey;
select pirogue_partitions.take_over('events', 'team_id, id', array['create index events_type on %I (team_id, type, id)']);
-- Tests of endpoints are exempt: their numbers start again when the earlier tests are forgotten.
-- migration: allow one-strong-lock because the table is the new parent, which this transaction has just made
create trigger events_numbered after insert on events for each row when (new.sequence > 1 and new.type <> 'webhook.test')
  execute function pirogue_number_events();
grant select, insert, update, delete on events to pirogue_app;

select pirogue_partitions.take_over('event_bodies', 'team_id, event_id, api_version', '{}');
grant select, insert, delete on event_bodies to pirogue_app;

-- Bodies of an event that is deleted by itself are deleted with it, as the reference did: an erasure finds them by their event. Those of a
-- dropped partition are dropped before it.
create function pirogue_delete_bodies() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  delete from event_bodies b using gone where b.team_id = gone.team_id and b.event_id = gone.id;
  return null;
end $$;
revoke execute on function pirogue_delete_bodies() from public;
create trigger events_deleted after delete on events referencing old table as gone
  for each statement execute function pirogue_delete_bodies();
