-- Up Migration

-- migration: no transaction
-- Finds what is still known of a person whose erasure was repeated for the last time by an earlier release, or never.
create index concurrently if not exists erasures_known on erasures (erased_at) where known_sealed is not null;
