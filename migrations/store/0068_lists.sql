-- Up Migration

-- What a list reads does not grow with the team, whatever its filters (docs/performance.md, "Lists and filters"; test/plans).
-- An index (team_id, column, id) has the rows of one value in the order of the list.

-- Few payments within a range of amounts: found here. Many: met soon while reading the newest. Without the id equal amounts share
-- one entry, so that this is the smallest index of a payment.
create index payments_amount on payments (team_id, amount_minor);

create index refunds_status on refunds (team_id, status, id);
create index disputes_status on disputes (team_id, status, id);
-- Replaces disputes_payment, which lacks the order.
create index disputes_by_payment on disputes (team_id, payment_id, id);
drop index disputes_payment;
create index links_status on links (team_id, status, id);

create index transfers_beneficiary on transfers (team_id, beneficiary_id, id) where beneficiary_id is not null;
create index transfers_channel on transfers (team_id, channel, id);
create index transfers_amount on transfers (team_id, amount_minor);

-- Erased customers keep their row and are not listed: a page after many of them must not walk past each. The total of the list is
-- all customers less the erased ones, which are counted by the time of their erasure, as it only grows.
create index customers_listed on customers (team_id, id) where archived_at is null;
create index customers_erased on customers (team_id, archived_at) where archived_at is not null;
create index customers_blocked on customers (team_id, id) where blocked_at is not null and archived_at is null;
