-- Up Migration

-- Each vacuum and each analysis of a table makes every connection plan again all statements that touch it. Under load, the tables whose
-- few rows come and go had both every five seconds, so that a twentieth of PostgreSQL's time went into plans that came out the same.
-- Their statements reach rows by keys or in the order of an index, whatever the statistics.
-- Each attempt changes four times and each payment three times, so that most changes say nothing new about the table.
-- migration: allow unreadable because it only sets thresholds of autovacuum, of a table or of its partitions
do $$
declare
  one record;
begin
  for one in
    select c.oid::regclass as relation, settings
    from (values
      ('deliveries', 'autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000'),
      ('balance_deltas', 'autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000'),
      ('balances', 'autovacuum_analyze_threshold = 20000'),
      ('attempts', 'autovacuum_analyze_scale_factor = 0.4'),
      ('payments', 'autovacuum_analyze_scale_factor = 0.3')) as wanted (name, settings)
    -- A table as a whole, or the partitions into which it was divided.
    join pg_class c on c.relkind = 'r'
      and (c.oid = wanted.name::regclass or c.oid in (select relid from pg_partition_tree(wanted.name::regclass)))
  loop
    execute format('alter table %s set (%s)', one.relation, one.settings);
  end loop;
end $$;
