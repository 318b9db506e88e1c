-- Up Migration

-- The changes of each balance by day and kind of journal, added up in the background (src/money/ledger/days.ts,
-- docs/decisions/0093-statement-and-bulk-payouts.md). A statement reads them, and the journals after `counted_to`. They can be added up
-- again from journals and postings at any time.
create table balance_days (
  team_id      bigint not null,
  currency     text collate "C" not null,
  -- UTC.
  day          date not null,
  account      text collate "C" not null,
  -- Kind of the journals, up to the colon.
  kind         text collate "C" not null,
  -- Negative: more was debited than credited.
  amount_minor bigint not null,
  primary key (team_id, currency, day, account, kind)
);

-- How far the journals of a team are added up.
create table balance_day_counts (
  team_id    bigint primary key,
  -- Journals with a smaller id are in balance_days.
  counted_to bigint not null
);

grant select, insert, update, delete on balance_days, balance_day_counts to pirogue_app;
select pirogue_protect('balance_days'), pirogue_protect('balance_day_counts');
