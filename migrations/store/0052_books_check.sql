-- Up Migration

-- What `pirogue ledger verify` compares with the ledger (docs/decisions/0052-second-oracle.md).

-- How much of the item the release turned into available. Null: not released by a batch, or released before this column.
alter table settlement_items add column released_minor bigint;

-- Disputes of a payment: asked for by every refund, and by every comparison.
create index disputes_payment on disputes (team_id, payment_id);
