-- Up Migration

-- What identifies the person, encrypted, until the repetitions are over that find what was being written during the erasure: five minutes.
alter table erasures add column known_sealed text;
