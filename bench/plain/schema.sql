-- Four tables for the wire of payments: see README.md. Ids are UUIDs of version 7, so a primary key also sorts by time.

create table payments (
  team_id bigint not null,
  id uuid not null,
  reference text,
  amount numeric(18, 2) not null,
  currency text not null,
  status text not null default 'pending',
  channel text,
  description text,
  name text,
  email text,
  phone text,
  customer_id text,
  callback text,
  bearer text,
  details jsonb,
  token text not null,
  settled boolean not null default false,
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (team_id, id)
);

create index payments_expiry on payments (expires_at) where status = 'pending';

create table idempotency_keys (
  team_id bigint not null,
  key text not null,
  request_hash bytea not null,
  payment_id uuid not null,
  primary key (team_id, key)
);

create table events (
  team_id bigint not null,
  id uuid not null,
  type text not null,
  payment_id uuid not null,
  body text not null,
  created_at timestamptz not null,
  primary key (team_id, id)
);

create table deliveries (
  event_id uuid not null,
  endpoint_id integer not null,
  attempt integer not null default 0,
  done boolean not null default false,
  due_at timestamptz not null,
  primary key (event_id, endpoint_id)
);

create index deliveries_due on deliveries (due_at) where not done;

-- Not of the service: what the smallest commit costs on this machine.
create table one_row (
  id bigint generated always as identity primary key,
  value integer not null
);
