-- Existing events become the first partition (0087). That all are below its end is checked by 0086.
select pirogue_partitions.add_bound('events');
