-- migration: no transaction
-- Refunds that wait for money, which workers compare with the balances every few seconds: few, behind any number that are with their providers.
create index concurrently if not exists refunds_uncovered on refunds (next_poll_at)
  where kind = 'merchant' and status = 'pending' and draws is null;
