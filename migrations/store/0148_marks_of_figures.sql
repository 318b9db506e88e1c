-- Up Migration

alter table payment_counts
  -- When the mark was set, and by which transaction (0147). Null: no mark yet.
  add column marked_at timestamptz(3),
  add column marked_xid xid8;
