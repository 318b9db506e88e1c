-- How often one payer was charged in vain lately: the hosted page asks before it makes another phone ring.
create index attempts_by_payer on attempts (team_id, payer, created_at) where payer is not null;
