-- Up Migration

-- What the installation itself keeps secret, sealed under SECRETS_KEY like every other secret: the key can change without it.
create table installation_secrets (
  -- 'root': from it the addresses of pages, cursors and what payers are known again by are derived. It never changes.
  name         text collate "C" primary key check (name in ('root')),
  value_sealed text not null,
  created_at   timestamptz(3) not null
);

-- Made by the first process that needs it, as the owner.
grant select on installation_secrets to pirogue_app;
