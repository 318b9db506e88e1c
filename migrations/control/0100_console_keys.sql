-- Up Migration

-- People make, switch and end keys in the console, and change settings of their team (docs/decisions/0089-keys-in-the-console.md).

-- The form that made the key: submitted twice, it makes one key. Null: made by the command line.
alter table api_keys add column idempotency_key text collate "C";

-- Column by column: what a key may do, and its hash, never change; a team's plan, level and limits belong to the operator.
grant insert (id, team_id, hash, environment, kind, last4, scopes, allowed_ips, expires_at, created_at, idempotency_key) on api_keys
  to pirogue_app;
grant update (active, revoked_at, expires_at) on api_keys to pirogue_app;
grant update (name, email, default_currency, unique_references, public_keys, updated_at) on teams to pirogue_app;
