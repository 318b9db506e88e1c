-- Up Migration

-- Teams, their keys: what the API path reads and the command line writes. The API path never writes here.

create table teams (
  -- Random, not counted: a control database made anew can never point at another team's rows in a kept store.
  id                 bigint primary key,
  name               text not null,
  email              text not null,
  plan               text not null default 'starter' check (plan in ('starter', 'growth', 'scale', 'unlimited')),
  verification_level smallint not null default 0 check (verification_level between 0 and 4),
  default_currency   text not null default 'XAF',
  unique_references  boolean not null default false,
  api_version        text not null default '2026-08-01',
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now()
);

create table api_keys (
  id          text collate "C" primary key,
  team_id     bigint not null references teams,
  -- SHA-256 of the key as presented; the key itself is shown once and kept nowhere.
  hash        bytea not null unique,
  environment text not null check (environment in ('sandbox', 'live')),
  kind        text not null check (kind in ('public', 'secret', 'restricted')),
  last4       text not null,
  scopes      text[] not null default '{}',
  allowed_ips text[] not null default '{}',
  active      boolean not null default true,
  expires_at  timestamptz(3),
  revoked_at  timestamptz(3),
  created_at  timestamptz(3) not null default now()
);
create index api_keys_team on api_keys (team_id);

-- The service reads; the command line, which administers, connects as the owner.
grant usage on schema public to pirogue_app;
grant select on teams, api_keys to pirogue_app;
