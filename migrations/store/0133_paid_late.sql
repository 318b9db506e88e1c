-- Up Migration

-- When a payout that had failed or was cancelled turned out to have reached its recipient: its amount was drawn again then (docs/ledger.md).
alter table transfers add column paid_late_at timestamptz(3);
