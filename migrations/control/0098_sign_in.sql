-- Up Migration

-- What sign-in needs beside people and sessions (docs/decisions/0087-sign-in.md).

-- SHA-256 of the browser's own cookie: a sign-in from a browser that the person has not used before is reported by mail.
-- Null: opened by a version that did not store it.
alter table console_sessions add column browser bytea;

-- Challenges of passkeys that were answered. A challenge is a signed text of the service; here it is made valid once.
create table used_challenges (
  hash    bytea primary key,
  used_at timestamptz(3) not null default pirogue_now()
);
create index used_challenges_used on used_challenges (used_at);

grant select, insert, delete on used_challenges to pirogue_app;
