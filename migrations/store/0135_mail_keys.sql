-- Up Migration

-- What an erasure finds mails by, and the limit of invoices to an address. Row-level security permits no index on lower(recipient) or on a
-- key of facts (docs/decisions/0029-row-level-security.md).
alter table mails
  -- lower(recipient).
  add column recipient_folded text collate "C",
  -- Of a receipt: facts->>'payment'.
  add column payment_id text collate "C";

-- By a trigger, so that nodes of the release before this one keep them too, and no mail that is dropped keeps an address or a payment. On
-- every update, so that no statement can set them to anything else.
create function pirogue_mail_keys() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  new.recipient_folded := lower(new.recipient);
  new.payment_id := case when new.kind = 'receipt' then new.facts->>'payment' end;
  return new;
end $$;
create trigger mail_keys before insert or update on mails for each row execute function pirogue_mail_keys();

-- Fills the columns of existing rows, so many pages in a transaction. It waits for no row: the one that another transaction holds is
-- filled by its update, or in another round. Until the session ends no partition is made or dropped, so that 0136 indexes all of them.
create procedure pirogue_partitions.fill_mail_keys(pages integer) language plpgsql as $$
declare
  is_unfilled constant text := $condition$(recipient_folded is null and recipient is not null
    or payment_id is null and kind = 'receipt' and facts->>'payment' is not null)$condition$;
  part regclass;
  page bigint;
  are_left boolean := true;
begin
  perform pg_advisory_lock(hashtextextended('pirogue_partitions', 0));
  while are_left loop
    for part in select l.partition from pirogue_partitions.list('mails') l loop
      page := 0;
      while page < pg_relation_size(part) / current_setting('block_size')::integer loop
        execute format('update %s set recipient = recipient where ctid = any (array(
          select ctid from %s where ctid >= %L and ctid < %L and %s for update skip locked))',
          part, part, format('(%s,0)', page), format('(%s,0)', page + pages), is_unfilled);
        commit;
        page := page + pages;
      end loop;
    end loop;
    execute format('select exists (select from public.mails where %s)', is_unfilled) into are_left;
    if are_left then perform pg_sleep(0.1); end if;
    commit;
  end loop;
end $$;
