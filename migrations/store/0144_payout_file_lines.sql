-- Up Migration

-- The line of the uploaded text at which a payout begins, counted as an editor does: with the head and with empty lines. Null in lists from
-- before.
alter table payout_batch_lines add column file_line integer;
