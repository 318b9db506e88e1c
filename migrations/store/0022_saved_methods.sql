-- Up Migration

-- Numbers that payers asked us to remember (docs/decisions/0033-saved-methods.md). Both are null on nearly every attempt,
-- which costs no byte.

-- The payer ticked the box: the number is saved when the payment succeeds.
alter table attempts add column remember boolean;
-- The saved method whose number is charged; null when it was typed.
alter table attempts add column method_id text collate "C";

-- The one that is offered: the last used of a customer.
create index payment_methods_last on payment_methods (team_id, customer_id, last_used_at);
-- Those that nobody has used for long.
create index payment_methods_unused on payment_methods (last_used_at);
