-- Up Migration

-- migration: no transaction
create unique index concurrently if not exists user_links_once on user_links (team_id, form_key) where form_key is not null;
