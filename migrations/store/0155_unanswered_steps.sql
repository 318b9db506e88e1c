-- Up Migration

-- When the newest further step of the payer (one-time code, card form, card authentication) was sent whose result is not known; null: none.
alter table attempts add column unanswered_step_at timestamptz(3);
