-- Up Migration

-- Background work deletes the blocks that have expired, under a lock, which needs the right to change a column. It changes none.
grant update (expires_at), delete on abuse_blocks to pirogue_all_teams;
