-- migration: no transaction
-- Returns that only a person can carry out, which the overview of the console counts: few, behind any number that the worker carries out.
create index concurrently if not exists returns_for_person on returns (team_id, id)
  where closed_at is null and state in ('waiting', 'overpaid');
