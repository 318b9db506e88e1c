-- Up Migration

-- As in 0153, for the charges of a team.
alter table abuse_windows
  add column by_public integer,
  add column by_page integer;
