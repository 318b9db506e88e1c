-- Up Migration

-- An erasure was not revisited once nothing of it had a number any more, though a payment of the customer could still be charged.
-- Each one is gone over once more: what such charges left is erased, and the open payments keep it being revisited from now on.
update erasures set revisit_at = erased_at where revisit_at is null;
