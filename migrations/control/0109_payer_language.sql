-- Up Migration

-- Language of a team's pages and mails for payers (docs/decisions/0096-payer-language.md). Null: ours, where the payer's browser names no
-- language of the pages. A release may not have the language that another one stored: it is then as if there were none.
alter table teams add column payer_language text collate "C";
-- True: of every payer, whatever the browser names.
alter table teams add column payer_language_always boolean not null default false;
alter table teams add constraint teams_payer_language_check
  check (case when payer_language is null then not payer_language_always else payer_language ~ '^[a-z]{2,3}$' end) not valid;

grant update (payer_language, payer_language_always) on teams to pirogue_app;
