-- Up Migration

-- The connected subaccount from whose balance a transfer is paid; null: the team's.
alter table transfers add column account_id text collate "C";
