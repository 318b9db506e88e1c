-- Up Migration

-- The forms of the console that sent an invitation, and that sent it again last: submitted twice, each mails once. Null: by the command line.
alter table user_links add column form_key text collate "C", add column resent_key text collate "C";
