-- Up Migration

-- The newest form in which the processes of an installation may store data of a kind, so that those of the previous release can read
-- it during an upgrade. A release that reads a new form is followed by one whose migration permits it here
-- (docs/decisions/0076-upgrades.md).
create table formats (
  -- Kind of data: packing (src/kit/packing.ts).
  name      text primary key,
  permitted integer not null
);
insert into formats (name, permitted) values ('packing', 2);

grant select on formats to pirogue_app;
