-- Up Migration

-- What a failed refund leads to happens once, whatever the program does.

-- What waits of a share is never more than the share. Not validated: before this migration a refund whose parts failed one
-- after the other could return its money several times. `pirogue ledger verify` reports such items, the release of retained
-- money leaves them alone, and docs/ledger.md tells how to correct them.
alter table settlement_items add constraint settlement_items_within_share check (amount_minor <= share_minor) not valid;

-- A refund that has ended keeps its status, and a refund does not end, nor is a part of it sent after the end, while a part
-- may still succeed at the provider. A check on the row alone would also reject the polling of parts that were sent after the
-- end before this migration, and what they came to must be booked.
create function pirogue_refund_ends_once() returns trigger language plpgsql as $$
begin
  if old.status in ('succeeded', 'failed') and new.status <> old.status then
    raise exception 'refund % has ended as %', old.id, old.status
      using errcode = 'check_violation', constraint = 'refunds_ends_once', table = 'refunds';
  end if;
  if new.status in ('succeeded', 'failed') and exists (
    select from json_array_elements(new.legs) with ordinality as part(value, n)
    where part.value->>'status' = 'sent'
      and (old.status not in ('succeeded', 'failed') or old.legs->(part.n::integer - 1)->>'status' is distinct from 'sent')
  ) then
    raise exception 'refund % has a part with its provider', old.id
      using errcode = 'check_violation', constraint = 'refunds_ends_decided', table = 'refunds';
  end if;
  return new;
end $$;
create trigger refunds_end_once before update of status, legs on refunds for each row execute function pirogue_refund_ends_once();
