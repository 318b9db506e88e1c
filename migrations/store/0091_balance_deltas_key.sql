-- Up Migration

-- migration: allow contract because no statement of an earlier release names or infers the old key; its look-ups by id read a small table
alter table balance_deltas drop constraint balance_deltas_pkey,
  add constraint balance_deltas_pkey primary key using index balance_deltas_key;
