-- Attempts to deliver become a partitioned table. The condition of the index repeats the list of src/money/webhooks/personal.ts.
select pirogue_partitions.take_over('delivery_attempts', 'team_id, endpoint_id, id', array[
  $$create index delivery_attempts_responses on %I (event_id) where response_body not in (
    '', 'ok', 'OK', 'Ok', 'success', 'received', 'accepted', 'Accepted', 'true', '1', '{}', 'EVENT_RECEIVED', '{"ok":true}',
    '{"success":true}', '{"received":true}', '{"received": true}', '{"status":"ok"}', '{"status":"success"}')$$]);
grant select, insert, update, delete on delivery_attempts to pirogue_app;
