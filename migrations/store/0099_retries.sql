-- Up Migration

-- Another try on the hosted page after a decline (docs/decisions/0085-retries.md): each is a payment of its own.
alter table payments add column retry_of text collate "C";
alter table payments add column retried_by text collate "C";
alter table payments add column retry_number smallint;
comment on column payments.retry_of is 'The failed payment that this one tries again.';
comment on column payments.retried_by is 'The payment that tries this failed one again. Written with the insertion of that payment, under the lock of this one.';
comment on column payments.retry_number is 'How many payments precede this one in its chain of retries. Null: none.';
