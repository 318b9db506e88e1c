-- Mails become a partitioned table. There are those of a month, which are read under the lock: a second for some millions. Each partition
-- keeps a unique index on the id, which is random; the parent can have none without the time.
select pirogue_partitions.take_over('mails', null, array[
  'create index mails_due on %I (due_at) where due_at is not null',
  'create index mails_done on %I (created_at) where due_at is null',
  $$create index mails_of_recipient on %I (team_id, lower(recipient), created_at) where kind = 'invoice'$$]);
grant select, insert, update, delete on mails to pirogue_app;

-- migration: allow contract because only these files use them
drop function pirogue_partitions.take_over(text, text, text[]), pirogue_partitions.validate_bound(text),
  pirogue_partitions.add_bound(text), pirogue_partitions.first_end(text);
