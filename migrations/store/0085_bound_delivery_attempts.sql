-- Existing attempts become the first partition (0088). That all are below its end is checked by 0086.
select pirogue_partitions.add_bound('delivery_attempts');
