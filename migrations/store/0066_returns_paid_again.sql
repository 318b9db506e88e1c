-- Up Migration

-- A refund and a payout that had both failed may both be done after all, and money that was put back may leave once more: how many
-- times the money of a return has left suspense, and every manual resolution (docs/decisions/0055-returns.md).
alter table returns add column times_paid smallint not null default 0 check (times_paid >= 0);
alter table returns add column resolutions text[] not null default '{}';
update returns set resolutions = array[resolved_as] where resolved_as is not null;
