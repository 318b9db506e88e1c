-- Up Migration

-- What invoices have to say about the merchant. Both are texts as the merchant writes them: address formats and the names of
-- tax ids (NIU, NINEA, NCC, NIF, TIN) differ from country to country.
alter table teams add column address text;
alter table teams add column tax_id text;
