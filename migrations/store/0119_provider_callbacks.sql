-- Up Migration

-- Callbacks of providers are stored beside what was sent to them (docs/decisions/0097-callbacks-kept.md). Of a callback, `request` is
-- what arrived, with its size in `response_bytes`; `status` and `response` are our answer.
-- Null: a request of ours. Otherwise how the callback was authenticated: signed, address, unverified or forged.
alter table provider_exchanges add column callback text;
