-- Up Migration

-- Fewer bytes for each payment (docs/decisions/0021-footprint.md).

-- Bodies of events and kept answers are packed (src/kit/packing.ts). What begins with a brace is JSON as it is: rows
-- from before. Packed bytes get no smaller, so PostgreSQL need not try with large ones.
alter table events alter column body type bytea using convert_to(body, 'UTF8'), alter column body set storage external;
alter table idempotency_keys alter column answer type bytea using convert_to(answer, 'UTF8'),
  alter column answer set storage external;

-- An update in place needs that no indexed column changes, and nearly every update of these changes one (next_poll_at,
-- status): the space kept free for it was lost.
alter table attempts reset (fillfactor);
alter table payments reset (fillfactor);
