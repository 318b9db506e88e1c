-- Up Migration

-- A transaction that is still open may commit a row that comes before rows which everybody sees, however long ago it began: its commit may wait
-- for a standby. So sums by day, and hourly figures (0148), follow marks, as the search does (src/platform/db/marks.ts).
alter table balance_day_counts
  -- No journal with a smaller id is added once all transactions before marked_xid have ended. Null: no mark yet.
  add column marked_to bigint,
  -- The transaction that set the mark.
  add column marked_xid xid8;
