-- Up Migration

-- Several accounts at several providers, evidence that does not match, decisions taken by people.

-- The account that has the attempt (control.provider_accounts.id; the sandbox's is called `sandbox`).
alter table attempts add column provider_account text not null default 'sandbox';
-- What the provider asked us to keep before the collection itself is sent.
alter table attempts add column handle text;
-- Money that arrived in another amount or currency than was asked for, and waits in `hold`: {amount_minor, currency,
-- provider_ref, at}. Null again once it is resolved.
alter table attempts add column mismatch json;
-- What a person decided about an unknown outcome: {as, evidence, author, at}.
alter table attempts add column resolution json;
create index attempts_key on attempts (team_id, provider_key);
-- References are looked for while an attempt is open: those of the sandbox never are.
create index attempts_ref on attempts (team_id, provider_ref)
  where status in ('created', 'open', 'unknown') and provider_ref is not null;
create index attempts_mismatch on attempts (team_id, id) where mismatch is not null;

alter table transfers rename column provider to provider_account;
alter table transfers add column resolution json;
create index transfers_key on transfers (team_id, provider_key) where status = 'processing';
alter table refunds add column resolution json;
