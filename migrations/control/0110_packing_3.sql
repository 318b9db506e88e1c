-- Up Migration

-- Dictionary 3 (docs/decisions/0069-packing.md) at once where no release has been at work that cannot read it: an installation without teams is
-- new. Elsewhere the migration of the next release permits it.
-- migration: allow rows because the table has one row
update formats set permitted = 3 where name = 'packing' and not exists (select from teams);
