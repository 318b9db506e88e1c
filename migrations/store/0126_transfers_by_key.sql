-- migration: no transaction
-- Finds a payout that has ended, too, by the key under which its provider has it: a callback at the address of the account names nothing else
-- (docs/decisions/0097-callbacks-kept.md).
create index concurrently if not exists transfers_provider_key on transfers (team_id, provider_key);
-- migration: allow contract because the new index serves every statement that could use it
drop index concurrently if exists transfers_key;
