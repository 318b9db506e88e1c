-- Up Migration

-- Whether the hosted page of a failed payment that the API created lets the payer try again (docs/decisions/0085-retries.md).
alter table teams add column hosted_retry boolean not null default false;
