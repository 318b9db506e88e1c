-- Up Migration

alter table teams validate constraint teams_public_keys_check;
