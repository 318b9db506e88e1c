-- Up Migration

-- Lists of payouts that a person uploaded (src/core/payout-batches, docs/decisions/0093-statement-and-bulk-payouts.md). A list is forgotten
-- 30 days after it was made; the transfers stay.
create table payout_batches (
  team_id    bigint not null,
  -- The token of the form that made it: one form makes one list.
  id         text collate "C" not null,
  user_id    text collate "C" not null,
  lines      integer not null,
  -- Null: nobody has confirmed it, and nothing was paid out.
  started_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (team_id, id)
);
create index payout_batches_newest on payout_batches (team_id, created_at);
create index payout_batches_old on payout_batches (created_at);

create table payout_batch_lines (
  team_id      bigint not null,
  batch_id     text collate "C" not null,
  line         integer not null,
  -- wrong: rejected before the start. open: to be paid out. done: a transfer was made. asked: a second person decides. failed: rejected.
  status       text collate "C" not null check (status in ('wrong', 'open', 'done', 'asked', 'failed')),
  -- The body of POST /transfers; null once the line is done, as the transfer has the recipient.
  body         json,
  amount_minor bigint,
  fee_minor    bigint,
  currency     text collate "C",
  -- Name and number, as the list shows them; null once the line is done.
  recipient    text,
  -- The same recipient and amount: in another line of the list (file), or in a payout of the last 24 hours (recent).
  repeats      text collate "C" check (repeats in ('file', 'recent')),
  -- The transfer, or the approval that is asked for.
  result_id    text collate "C",
  -- Why it is wrong or failed.
  message      text,
  primary key (team_id, batch_id, line)
);

grant select, insert, update, delete on payout_batches, payout_batch_lines to pirogue_app;
select pirogue_protect('payout_batches'), pirogue_protect('payout_batch_lines');
