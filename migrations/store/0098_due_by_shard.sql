-- migration: no transaction
-- Due rows by shard: workers divide the teams among themselves by the low bits of their numbers (src/platform/work/shards.ts). The
-- indexes without the shard stay for nodes of the release before; a later release drops them.
create index concurrently if not exists attempts_shard_poll on attempts ((team_id & 15), next_poll_at) where next_poll_at is not null;
create index concurrently if not exists payments_shard_continue on payments ((team_id & 15), continue_at) where continue_at is not null;
create index concurrently if not exists refunds_shard_poll on refunds ((team_id & 15), next_poll_at) where next_poll_at is not null;
create index concurrently if not exists returns_shard_due on returns ((team_id & 15), next_step_at) where next_step_at is not null;
create index concurrently if not exists transfers_shard_poll on transfers ((team_id & 15), next_poll_at) where next_poll_at is not null;
