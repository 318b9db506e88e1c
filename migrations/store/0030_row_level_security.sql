-- The second barrier between tenants: whatever a statement forgets to ask for, the service's role sees and writes only rows of
-- the team it has named (docs/decisions/0029-row-level-security.md). The owner (migrations, the command line, backups) and
-- what foreign keys do in the owner's name are not held by it.

-- What the service said at the beginning of the transaction. Said nothing: no team at all.
create function pirogue_team() returns bigint language sql stable parallel safe
  return nullif(current_setting('pirogue.team', true), '')::bigint;

-- A migration that makes a table with a team_id says: select pirogue_protect('its_name');
-- Equal to a function that is stable, team_id is as good as equal to a value: the planner looks it up in an index and adds it
-- to what the statement says of team_id itself, so that no row pays for the policy.
create function pirogue_protect(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('create policy own_team on %s to pirogue_app using (team_id = pirogue_team())', protected);
  execute format('create policy all_teams on %s to pirogue_all_teams using (true)', protected);
end $$;
revoke execute on function pirogue_protect(regclass) from public;

-- Under a policy PostgreSQL looks into an index only by operators that can not tell of the rows they refuse; functions such as
-- lower and split_part are not among them, so what they make is stored.
alter table customers add column email_key text collate "C" generated always as (lower(email)) stored;
-- Partial, so that neither serves a look-up of the other: while the table was small PostgreSQL saw no difference between an index
-- of both columns and the team's part of another, and kept that plan when the team had a hundred thousand customers.
drop index customers_email, customers_phone;
create unique index customers_email on customers (team_id, email_key) where email_key is not null;
create unique index customers_phone on customers (team_id, phone) where phone is not null;

-- Of most journals nothing: those of payments are found by posting.
alter table journals add column family text collate "C"
  generated always as (case when kind <> 'payment.succeeded' then split_part(kind, ':', 1) end) stored;
drop index journals_kind;
create index journals_kind on journals (team_id, family, id) where family is not null;

-- The search by parts of words has no such operator at all, so it looks past the policy and asks for the team by itself.
create function pirogue_search_customers(pattern text) returns setof text
  language sql stable security definer rows 50 set search_path = public, pg_temp as $$
    select customer_id from customer_search where team_id = pirogue_team() and text like pattern
  $$;
revoke execute on function pirogue_search_customers(text) from public;
grant execute on function pirogue_search_customers(text) to pirogue_app;

select pirogue_protect(c.oid) from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'team_id' and not a.attisdropped
    and not c.relrowsecurity
  order by c.relname;
