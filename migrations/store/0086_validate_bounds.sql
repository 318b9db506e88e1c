-- Reads all rows, under a lock that stops no statement: the tables are then attached without being read.
select pirogue_partitions.validate_bound('events'), pirogue_partitions.validate_bound('delivery_attempts');
