-- migration: no transaction
-- Finds what the purges of these tables delete, without reading the rows of all teams that stay. A charge changes no indexed column of its
-- window: only the first one of a team in ten minutes adds an entry.
create index concurrently if not exists abuse_windows_starts on abuse_windows (starts_at);
-- One entry for each mail that is sent once in a while.
create index concurrently if not exists mail_turns_taken on mail_turns (taken_at);
