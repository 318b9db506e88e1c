-- Up Migration

-- The languages of invoices are those of the pages, which the program validates: a new language needs no migration.
alter table invoices drop constraint invoices_locale_check;
alter table invoices add constraint invoices_locale_check check (locale ~ '^[a-z]{2}$');
