-- Up Migration

-- Invoices (live only): what a customer is asked to pay, and what was paid of it.

create table invoices (
  team_id       bigint not null,
  id            text collate "C" not null,
  -- Given when it is first sent. Null: a draft.
  number        text collate "C",
  status        text not null default 'draft' check (status in ('draft', 'sent', 'viewed', 'partial', 'paid', 'overdue', 'cancelled')),
  currency      text not null,
  amount_minor  bigint not null check (amount_minor > 0),
  -- Brought by payments that succeeded, and of that what went back. A sum of invoice_payments.
  paid_minor     bigint not null default 0 check (paid_minor >= 0),
  refunded_minor bigint not null default 0 check (refunded_minor >= 0 and refunded_minor <= paid_minor),
  allow_partial boolean not null,
  -- The least that can be paid at once.
  least_minor   bigint check (least_minor > 0 and least_minor <= amount_minor),
  -- [{name, description, quantity, unit_price_minor, amount_minor}]
  items         json not null,
  customer_id   text collate "C" not null,
  -- To whom it was made out: not the customer's own profile, which may change.
  name          text,
  email         text collate "C",
  phone         text,
  due_date      text collate "C",
  notes         text,
  reference     text,
  locale        text check (locale in ('en', 'fr')),
  metadata      json,
  -- Where its page stands, as it was sent: whoever tells of the invoice need not be able to make it.
  url           text,
  -- The payment that was made last: the only one that can still be waiting for its payer.
  payment_id    text collate "C",
  -- The first moment after the due date; null: not sent, or without a due date.
  overdue_at    timestamptz(3),
  sent_at       timestamptz(3),
  mailed_at     timestamptz(3),
  viewed_at     timestamptz(3),
  paid_at       timestamptz(3),
  cancelled_at  timestamptz(3),
  event_count   integer not null default 0,
  -- Who made it: the audit trail of this write.
  key_id        text not null,
  request_id    text not null,
  created_at    timestamptz(3) not null,
  updated_at    timestamptz(3) not null,
  primary key (team_id, id)
) with (fillfactor = 85);
create unique index invoices_number on invoices (team_id, number);
create index invoices_status on invoices (team_id, status, id);
create index invoices_customer on invoices (team_id, customer_id, id);
create index invoices_overdue on invoices (overdue_at) where status in ('sent', 'viewed', 'partial');

-- The last number given. The row is locked until the invoice that takes it is written: no number is left out.
create table invoice_numbers (
  team_id bigint primary key,
  last    bigint not null
);

-- What each payment brought its invoice.
create table invoice_payments (
  team_id        bigint not null,
  payment_id     text collate "C" not null,
  invoice_id     text collate "C" not null,
  paid_minor     bigint not null default 0,
  refunded_minor bigint not null default 0,
  primary key (team_id, payment_id)
);
create index invoice_payments_invoice on invoice_payments (team_id, invoice_id);

grant select, insert, update, delete on invoices to pirogue_app;
grant select, insert, update on invoice_numbers, invoice_payments to pirogue_app;
