-- Up Migration

-- A second person decides on changes of where the money of a subaccount goes too (docs/decisions/0092-approvals.md).
-- migration: allow contract because the constraint that replaces it accepts more
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('money', 'account', 'key', 'person', 'threshold')) not valid;
