-- Up Migration

-- Whose name stands in what was announced of an invoice that is not theirs any more: it was made out to somebody else, or
-- deleted. An erasure finds by it what the invoices themselves do not tell.
create table invoice_former_customers (
  team_id     bigint not null,
  customer_id text collate "C" not null,
  invoice_id  text collate "C" not null,
  primary key (team_id, customer_id, invoice_id)
);
grant select, insert on invoice_former_customers to pirogue_app;
select pirogue_protect('invoice_former_customers');
