-- Up Migration

-- The keys under which providers have refunds and payouts of returns: a callback at the address of an account names nothing else
-- (docs/decisions/0097-callbacks-kept.md). In refunds they are in a list, of which row-level security permits no index.
create table refund_keys (
  team_id      bigint not null,
  provider_key text collate "C" not null,
  refund_id    text collate "C" not null,
  primary key (team_id, provider_key)
);
grant select, insert on refund_keys to pirogue_app;
select pirogue_protect('refund_keys');

-- By a trigger, so that nodes of the release before this one store keys too. Refunds that are under way get theirs with their next poll.
create function pirogue_refund_keys_recorded() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into refund_keys (team_id, provider_key, refund_id)
  select new.team_id, part->>'provider_key', new.id from json_array_elements(new.legs) part
  where part->>'provider_key' is not null
  on conflict (team_id, provider_key) do nothing;
  return null;
end $$;
create trigger refund_keys_recorded after insert or update of legs on refunds for each row execute function pirogue_refund_keys_recorded();
