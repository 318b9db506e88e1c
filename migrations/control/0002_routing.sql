-- Up Migration

-- Which of a team's accounts is tried for a charge or a payout, and in which order. Written by the command line.
create table routing_rules (
  id            text collate "C" primary key,
  team_id       bigint not null references teams,
  environment   text not null check (environment in ('sandbox', 'live')),
  -- The lower comes first; the first rule that matches decides. Equal ones: the older first.
  priority      integer not null check (priority >= 0),
  -- What it is for. Null or empty: everything.
  operation     text check (operation in ('collect', 'payout')),
  -- ISO 3166-1 alpha-2, upper case.
  countries     text[] not null default '{}',
  channels      text[] not null default '{}',
  currencies    text[] not null default '{}',
  -- Hundredths, both included.
  min_minor     bigint check (min_minor > 0),
  max_minor     bigint check (max_minor > 0),
  -- One of three: names of accounts in order; [{name, weight}] of accounts that share the volume; the cheapest first.
  account_order text[],
  shares        json,
  least_cost    boolean not null default false,
  -- False: when the account chosen is unavailable no other is tried.
  fallback      boolean not null default true,
  created_at    timestamptz(3) not null,
  check (num_nonnulls(account_order, shares) + least_cost::integer = 1)
);
create index routing_rules_team on routing_rules (team_id, environment, priority, id);

grant select on routing_rules to pirogue_app;
