-- Up Migration

-- migration: no transaction
-- Keys and indexes led by the team or its group, for stores whose tables are distributed (docs/decisions/0077-distribution.md).
create unique index concurrently if not exists balance_deltas_key on balance_deltas (team_id, id);
-- Each group of teams has a chain of seals of its own.
create index concurrently if not exists journals_group on journals ((team_id & 15), tx, id);
create index concurrently if not exists audit_entries_group on audit_entries ((team_id & 15), tx, id);
