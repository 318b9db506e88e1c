-- Up Migration

-- The colour of a team's pages for payers, where a payment or link names none. Null: ours.
alter table teams add column brand_color text collate "C";
alter table teams add constraint teams_brand_color_check check (brand_color ~ '^#[0-9a-f]{6}$') not valid;

-- A team's people decide how its pages look and what its invoices say about it.
grant update (brand_color, address, tax_id) on teams to pirogue_app;
