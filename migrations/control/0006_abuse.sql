-- Up Migration

-- Whether the charges of a team's live payments are held against the rules of docs/abuse.md.
alter table teams add column abuse_rules boolean not null default false;
