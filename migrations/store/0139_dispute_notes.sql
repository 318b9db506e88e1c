-- Up Migration

-- What an operator recorded of the provider's notices: who, and the evidence.
alter table disputes add column note text;
