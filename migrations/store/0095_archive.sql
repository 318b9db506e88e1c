-- Up Migration

-- Old payments in compressed storage (docs/decisions/0078-archive.md). The row of the payment stays, with all that lists, filters, totals,
-- searches, seals and comparisons of the books read. Its attempts, and the columns that only a retrieval shows, are packed into `archived`.
alter table payments add column archived bytea;
alter table payments add column archived_key bigint;
comment on column payments.archived is
  'The attempts of the payment and its columns that only a retrieval shows, packed (src/core/payments/archived-store.ts). Null: in their own rows and columns.';

comment on column payments.archived_key is
  'Finds the payment of an archived attempt: the hash of our id or of the key under which its provider knows it. Most payments have one such key; archived_attempts has the others.';

create table archived_attempts (
  team_id     bigint not null,
  key         bigint not null,
  payment_id  text collate "C" not null,
  primary key (team_id, key, payment_id)
);
grant select, insert, update, delete on archived_attempts to pirogue_app;
select pirogue_protect('archived_attempts');

-- 48 bits of a SHA-256. Most providers know an attempt by the hash of our id in hexadecimal digits: it is taken as it is, so that both have
-- one entry. A collision costs a look at another payment.
create function pirogue_archive_key(name text) returns bigint language sql immutable strict parallel safe as $$
  select ('x' || left(case when translate(name, '-', '') ~ '^[0-9a-f]{16,64}$' then translate(name, '-', '')
    else encode(sha256(convert_to(name, 'UTF8')), 'hex') end, 12))::bit(48)::bigint
$$;

-- Whatever changes an archived payment restores it first, in the same transaction. A process of an earlier release, which does not know
-- how, gets an error and changes nothing.
create function pirogue_archived() returns trigger language plpgsql as $$
begin
  raise exception 'payment % is archived: restore it before it is changed', new.id using errcode = 'object_not_in_prerequisite_state';
end $$;
create trigger payments_archived before update on payments for each row
  when (old.archived is not null and new.archived is not null) execute function pirogue_archived();
