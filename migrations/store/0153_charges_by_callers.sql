-- Up Migration

-- Who caused the charges that the rules against abuse count, so that what anybody can cause with a public key or on a page counts against
-- neither the merchant's pages nor its secret keys. Those of each column are among the charges of the row. Null: none.
alter table abuse_payers
  add column by_public timestamptz(3)[],
  add column by_page timestamptz(3)[];
