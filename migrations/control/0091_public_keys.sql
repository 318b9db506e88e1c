-- Up Migration

-- What a team's public keys may do: 'contract' is everything that docs/contract/access.md lists, 'pay-only' creates, charges and
-- retrieves a payment and nothing else.
alter table teams add column public_keys text not null default 'contract';
alter table teams add constraint teams_public_keys_check check (public_keys in ('contract', 'pay-only')) not valid;
