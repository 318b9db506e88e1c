-- Up Migration

-- What refunds and disputes have drawn from the party, less what returned, so that roundings of many small ones even out. Null: nothing,
-- or drawn before this column.
alter table settlement_items add column drawn_minor bigint;
