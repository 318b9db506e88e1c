-- Up Migration

-- Figures of the payments of each hour, counted in the background (src/core/figures, docs/decisions/0091-hourly-figures.md). Pages read
-- them instead of payments. They can be counted again from events, payments and refunds at any time while the events are kept.
create table payment_hours (
  team_id         bigint not null,
  hour            timestamptz(3) not null,
  -- The five minutes of the hour, from 0, while it is open. Of a finished hour there is one part, 0.
  part            smallint not null check (part between 0 and 11),
  currency        text collate "C" not null,
  -- Empty: the payment ended before it had a channel.
  channel         text collate "C" not null,
  -- Payments that ended in this hour, by how they ended.
  succeeded       integer not null,
  failed          integer not null,
  cancelled       integer not null,
  expired         integer not null,
  -- What payers paid for those that succeeded.
  collected_minor bigint not null,
  -- Those whose charge is known, and the sum of the times from that charge to the success.
  confirmed       integer not null,
  confirm_ms      bigint not null,
  -- Refunds of the merchant that succeeded in this hour.
  refunded        integer not null,
  refunded_minor  bigint not null,
  primary key (team_id, hour, part, currency, channel)
);

-- How far the figures of a team are counted.
create table payment_counts (
  team_id    bigint primary key,
  -- Hours before this one are finished: they are not counted again.
  final_to   timestamptz(3) not null,
  -- The newest event at the last count, and its time.
  counted_id text collate "C" not null,
  counted_at timestamptz(3) not null
);

grant select, insert, update, delete on payment_hours, payment_counts to pirogue_app;
select pirogue_protect('payment_hours'), pirogue_protect('payment_counts');
