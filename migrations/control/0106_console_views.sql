-- Up Migration

-- Filters of a list of the console that a person keeps under a name, one's own in a team. They end with the membership. A text that was
-- searched is not kept: it can name a payer, and would outlive the erasure of that payer.
create table console_views (
  user_id     text collate "C" not null,
  team_id     bigint not null,
  environment text collate "C" not null check (environment in ('sandbox', 'live')),
  -- Path of the list below the team's, such as /payments.
  page        text collate "C" not null,
  name        text not null,
  -- The filters as in the address, in a fixed order.
  query       text not null,
  created_at  timestamptz(3) not null default pirogue_now(),
  primary key (user_id, team_id, environment, page, name),
  foreign key (team_id, user_id) references memberships (team_id, user_id) on delete cascade
);

grant select, insert, update, delete on console_views to pirogue_app;
