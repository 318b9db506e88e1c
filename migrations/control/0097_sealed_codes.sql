-- Up Migration

-- Every encrypted column ends in _sealed, so that a change of the key finds it (docs/decisions/0087-sign-in.md).
-- migration: allow contract because no release has written or read this column: nobody could sign in before this migration
alter table users rename column totp to totp_sealed;
