-- Up Migration

-- The changes of each balance of a subaccount by day and kind of journal, beside those of the team in balance_days. A table of its own:
-- a statement reads every row of its currency and days, and a marketplace has thousands of subaccounts
-- (docs/decisions/0101-statement-of-subaccounts.md).
create table subaccount_balance_days (
  team_id      bigint not null,
  -- Id of the subaccount, acct_…
  subaccount   text collate "C" not null,
  currency     text collate "C" not null,
  -- UTC.
  day          date not null,
  -- Without the subaccount: available, pending, …
  account      text collate "C" not null,
  -- Kind of the journals, up to the colon.
  kind         text collate "C" not null,
  -- Negative: more was debited than credited.
  amount_minor bigint not null,
  primary key (team_id, subaccount, currency, day, account, kind)
);

-- Journals with a smaller id are in subaccount_balance_days. Never greater than counted_to: nodes of the release before this one move that alone.
alter table balance_day_counts add column subaccounts_counted_to bigint not null default 0;

grant select, insert, update, delete on subaccount_balance_days to pirogue_app;
select pirogue_protect('subaccount_balance_days');
