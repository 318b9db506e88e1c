-- Up Migration

-- People who sign in to the console: who they are, the teams they belong to, their factors and sessions. Unlike keys and teams, these
-- tables are written by the service itself, by its sign-in pages only (docs/decisions/0086-console.md).

create table users (
  id             text collate "C" primary key,
  -- As typed. Compared without case: users_email.
  email          text not null,
  name           text not null,
  -- Argon2id in the PHC string format. Null: signs in by passkey or by a link that was sent.
  password       text,
  -- Encrypted (src/kit/sealing.ts). Null: no one-time codes.
  totp           text,
  -- Time step of the last code that was accepted. No code is accepted twice.
  totp_step      bigint,
  -- Language of pages and mails. Null: that of the browser.
  locale         text,
  -- Runs the installation: sees every team's settings and health, and moves no money.
  operator       boolean not null default false,
  disabled_at    timestamptz(3),
  created_at     timestamptz(3) not null default pirogue_now(),
  updated_at     timestamptz(3) not null default pirogue_now()
);
create unique index users_email on users (lower(email));

create table memberships (
  team_id    bigint not null references teams,
  user_id    text collate "C" not null references users,
  role       text not null check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'read_only')),
  created_at timestamptz(3) not null default pirogue_now(),
  primary key (team_id, user_id)
);
create index memberships_user on memberships (user_id);

create table passkeys (
  -- Credential id, in base64url.
  id         text collate "C" primary key,
  user_id    text collate "C" not null references users,
  public_key bytea not null,
  -- Signature counter that the authenticator last reported.
  counter    bigint not null,
  transports text[] not null default '{}',
  name       text not null,
  created_at timestamptz(3) not null default pirogue_now(),
  used_at    timestamptz(3)
);
create index passkeys_user on passkeys (user_id);

create table recovery_codes (
  user_id text collate "C" not null references users,
  -- SHA-256 of the code, which has 80 random bits.
  hash    bytea not null,
  used_at timestamptz(3),
  primary key (user_id, hash)
);

create table console_sessions (
  id         text collate "C" primary key,
  user_id    text collate "C" not null references users,
  -- SHA-256 of the cookie's value.
  hash       bytea not null unique,
  -- What the browser sent with its sign-in.
  address    text,
  agent      text not null default '',
  created_at timestamptz(3) not null default pirogue_now(),
  -- Updated at most once a minute.
  seen_at    timestamptz(3) not null default pirogue_now(),
  -- When a factor was last presented: actions that need a fresh one compare it.
  proved_at  timestamptz(3) not null default pirogue_now(),
  ends_at    timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index console_sessions_user on console_sessions (user_id, created_at);
create index console_sessions_ended on console_sessions (ends_at);

-- Links that were sent to a person or printed for one: of an invitation, a reset, the first sign-in. A link carries its id and a keyed
-- hash of it, so that nothing here is enough to use one.
create table user_links (
  id         text collate "C" primary key,
  kind       text not null check (kind in ('invitation', 'reset', 'sign_in')),
  email      text not null,
  -- Null: the person is created when the invitation is accepted.
  user_id    text collate "C" references users,
  team_id    bigint references teams,
  role       text check (role in ('owner', 'admin', 'developer', 'finance', 'support', 'read_only')),
  -- Null: by the command line.
  invited_by text collate "C" references users,
  created_at timestamptz(3) not null default pirogue_now(),
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3),
  revoked_at timestamptz(3)
);
create index user_links_team on user_links (team_id, created_at) where kind = 'invitation';
create index user_links_email on user_links (lower(email), created_at);
create index user_links_user on user_links (user_id);
create index user_links_ended on user_links (expires_at);

-- Failed attempts to prove who one is, by account and by address. Unlogged: losing them after a crash lets a guesser try a few more.
create unlogged table sign_in_failures (
  name     text collate "C" primary key,
  failures integer not null,
  since    timestamptz(3) not null
);
create index sign_in_failures_since on sign_in_failures (since);

-- Mails to people, as in the stores (migrations/store/0005_mail_ceilings.sql).
create table user_mails (
  id         bigint generated always as identity primary key,
  kind       text not null,
  facts      jsonb not null,
  recipient  text not null,
  tries      integer not null default 0,
  created_at timestamptz(3) not null default pirogue_now(),
  due_at     timestamptz(3) default pirogue_now(),
  sent_at    timestamptz(3),
  error      text
);
create index user_mails_due on user_mails (due_at) where due_at is not null;
create index user_mails_created on user_mails (created_at);

grant select, insert, update, delete on users, memberships, passkeys, recovery_codes, console_sessions, user_links, sign_in_failures,
  user_mails to pirogue_app;

-- A person acts too: actor_id is the user, session the console session of the action.
-- migration: allow contract because the constraint that replaces it accepts more
alter table audit_entries drop constraint audit_entries_actor_check;
alter table audit_entries add constraint audit_entries_actor_check
  check (actor in ('key', 'payer', 'operator', 'provider', 'worker', 'user')) not valid;
-- Column by column: nobody but the database says in which transaction an entry was written.
grant insert (team_id, created_at, actor, actor_id, request_id, address, action, resource_id) on audit_entries to pirogue_app;
