-- Up Migration

-- migration: no transaction
-- An erasure of this release finds mails by these columns alone, so that no sweep can fill them later. A commit after every 64 pages, about
-- 2,000 mails; a second run continues.
-- migration: allow no-transaction because it commits after each batch
call pirogue_partitions.fill_mail_keys(64);
-- Finds the mails to an address, for an erasure; with the kind, its newest invoices, for their limit.
create index concurrently if not exists mails_recipient on mails (team_id, recipient_folded, kind, created_at) where recipient_folded is not null;
-- Finds the receipts of payments, for an erasure.
create index concurrently if not exists mails_payment on mails (team_id, payment_id) where payment_id is not null;
-- migration: allow contract because no statement of the service could use it under its policy
drop index concurrently if exists mails_of_recipient;
