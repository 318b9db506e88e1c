-- migration: no transaction
-- Lines of confirmed lists that are still to be paid out, or wait for a second person, with which a new list is compared: nearly all lines are done.
create index concurrently if not exists payout_batch_lines_waiting on payout_batch_lines (team_id, batch_id, line)
  where status in ('open', 'asked');
