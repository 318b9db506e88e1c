-- Up Migration

-- A team's accounts at payment providers. Never deleted: what was once sent by an account is read and given back by it.
create table provider_accounts (
  id                 text collate "C" primary key,
  team_id            bigint not null references teams,
  environment        text not null check (environment in ('sandbox', 'live')),
  -- The kind of provider, as in attempts.provider.
  provider           text not null,
  -- What people and routing rules call it.
  name               text not null,
  -- JSON object of the provider's credentials, sealed with the installation's key.
  credentials_sealed text not null,
  -- Off: nothing new is sent by it.
  active             boolean not null default true,
  -- What it costs, for rules that look for the cheapest: {kind: {percent_hundredths, fixed_minor}}.
  costs              json,
  created_at         timestamptz(3) not null,
  updated_at         timestamptz(3) not null,
  unique (team_id, environment, name)
);

grant select on provider_accounts to pirogue_app;
