-- migration: no transaction
-- Counts the payouts of the last day that were paid after they had ended without money (the alert PiroguePayoutPaidLate). Very few.
create index concurrently if not exists transfers_paid_late on transfers (paid_late_at) where paid_late_at is not null;
