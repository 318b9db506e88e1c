-- Up Migration

-- Customers, invoices, payment links, beneficiaries and transfers are searched by the index of payments
-- (docs/decisions/0070-search-of-every-list.md).

-- Where the builder has got to with segments that have changed: it continues behind it, so that one that changes all the time does
-- not keep it from the others.
alter table search_builds add column rebuilt_id text collate "C";

-- Records one inserted, changed or deleted row. Unlike payments, these rows are written one by one, or rarely. The argument is the
-- kind.
create function pirogue_search_recorded() returns trigger language plpgsql security definer as $$
declare
  written record := case tg_op when 'DELETE' then old else new end;
begin
  insert into public.search_changed (team_id, kind, id)
  select b.team_id, b.kind, written.id from public.search_builds b
  where b.team_id = written.team_id and b.kind = tg_argv[0] and written.id <= b.marked_id;
  return null;
end $$;
create function pirogue_search_customer_recorded() returns trigger language plpgsql security definer as $$
declare
  written record := case tg_op when 'DELETE' then old else new end;
begin
  insert into public.search_changed (team_id, kind, id)
  select b.team_id, b.kind, written.customer_id from public.search_builds b
  where b.team_id = written.team_id and b.kind = 'customers' and written.customer_id <= b.marked_id;
  return null;
end $$;
revoke execute on function pirogue_search_recorded(), pirogue_search_customer_recorded() from public;

create trigger customer_search_recorded after insert or delete on customer_search for each row
  execute function pirogue_search_customer_recorded();
create trigger customer_search_changed after update on customer_search for each row when (old.text is distinct from new.text)
  execute function pirogue_search_customer_recorded();

create trigger invoices_search_recorded after insert or delete on invoices for each row
  execute function pirogue_search_recorded('invoices');
create trigger invoices_search_changed after update of number, reference, name, email, phone on invoices for each row
  when ((old.number, old.reference, old.name, old.email, old.phone) is distinct from (new.number, new.reference, new.name, new.email, new.phone))
  execute function pirogue_search_recorded('invoices');

create trigger links_search_recorded after insert or delete on links for each row
  execute function pirogue_search_recorded('links');
create trigger links_search_changed after update of reference, title, description on links for each row
  when ((old.reference, old.title, old.description) is distinct from (new.reference, new.title, new.description))
  execute function pirogue_search_recorded('links');

create trigger beneficiaries_search_recorded after insert or delete on beneficiaries for each row
  execute function pirogue_search_recorded('beneficiaries');
create trigger beneficiaries_search_changed after update of reference, name, email, phone, account_number on beneficiaries for each row
  when ((old.reference, old.name, old.email, old.phone, old.account_number)
    is distinct from (new.reference, new.name, new.email, new.phone, new.account_number))
  execute function pirogue_search_recorded('beneficiaries');

create trigger transfers_search_recorded after insert or delete on transfers for each row
  execute function pirogue_search_recorded('transfers');
create trigger transfers_search_changed after update of reference, description, recipient on transfers for each row
  when ((old.reference, old.description, old.recipient::text) is distinct from (new.reference, new.description, new.recipient::text))
  execute function pirogue_search_recorded('transfers');

-- The index of customers of all teams together: PostgreSQL read every match of every team, to sort those of one.
drop function pirogue_search_customers(text);
drop index customer_search_text;

-- The teams that have a segment of 16,384 rows, found with one index step each. Smaller ones are reported when they grow.
create function pg_temp.grown(source regclass, id text) returns table (team_id bigint) language plpgsql as $$
begin
  return query execute format(
    'with recursive known as (
      (select team_id from %1$s order by team_id limit 1)
      union all
      select next.team_id from known cross join lateral (
        select team_id from %1$s r where r.team_id > known.team_id order by r.team_id limit 1) next
    )
    select k.team_id from known k cross join lateral (
      select 1 from %1$s r where r.team_id = k.team_id order by r.%2$I offset 16383 limit 1) full_segment', source, id);
end $$;
insert into search_builds (team_id, kind, due_at)
select team_id, kind, pirogue_now()
from (values ('customers', 'customer_search', 'customer_id'), ('invoices', 'invoices', 'id'), ('links', 'links', 'id'),
  ('beneficiaries', 'beneficiaries', 'id'), ('transfers', 'transfers', 'id')) searched (kind, source, id)
cross join lateral pg_temp.grown(searched.source::regclass, searched.id);
drop function pg_temp.grown(regclass, text);
