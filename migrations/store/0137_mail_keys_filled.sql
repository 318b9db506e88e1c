-- Up Migration

drop procedure pirogue_partitions.fill_mail_keys(integer);
