-- Up Migration

-- Maker and checker (docs/decisions/0092-approvals.md): above a team's threshold a second person decides before money moves.

-- Movements above the amount need a second person. With any row of a team, a currency without one needs it for each movement.
create table approval_thresholds (
  team_id     bigint not null references teams,
  currency    text collate "C" not null,
  above_minor bigint not null check (above_minor >= 0),
  created_at  timestamptz(3) not null default pirogue_now(),
  primary key (team_id, currency)
);

create table approvals (
  id              text collate "C" primary key,
  team_id         bigint not null references teams,
  environment     text not null check (environment in ('sandbox', 'live')),
  kind            text not null check (kind in ('money', 'key', 'person', 'threshold')),
  -- Operation of the API such as `POST /refunds`, or an action of the console such as `person.role`.
  operation       text not null,
  -- What the role of whoever asks must permit, when it is asked and when it runs.
  permission      text not null,
  -- The form that asked: submitted twice, it asks once. It is also the idempotency key of the operation.
  form_key        text collate "C" not null,
  -- Encrypted JSON: what runs, with the recipient of a payout as it was then.
  body_sealed     text not null,
  amount_minor    bigint,
  currency        text collate "C",
  asked_by        text collate "C" not null references users,
  asked_session   text collate "C" not null,
  asked_at        timestamptz(3) not null default pirogue_now(),
  -- Until when it can be decided; after an approval, until when it can run.
  expires_at      timestamptz(3) not null,
  decision        text check (decision in ('approved', 'rejected', 'withdrawn')),
  decided_by      text collate "C" references users,
  decided_session text collate "C",
  decided_at      timestamptz(3),
  done_at         timestamptz(3),
  outcome         text check (outcome in ('done', 'failed')),
  -- Id of what was made.
  result          text collate "C",
  -- Why it failed.
  message         text,
  constraint approvals_amount check ((kind = 'money') = (amount_minor is not null) and (amount_minor is null) = (currency is null)),
  constraint approvals_decided check (
    (decision is null) = (decided_by is null) and (decision is null) = (decided_session is null) and (decision is null) = (decided_at is null)),
  -- Whoever asks may only withdraw, and nobody else may.
  constraint approvals_second_person check (decision is null or (decision = 'withdrawn') = (decided_by = asked_by)),
  constraint approvals_done check ((done_at is null) = (outcome is null) and (done_at is null or decision = 'approved'))
);
create unique index approvals_once on approvals (team_id, form_key);
create index approvals_listed on approvals (team_id, environment, id);
create index approvals_waiting on approvals (team_id, environment, id)
  where decision is null or (decision = 'approved' and done_at is null);
create index approvals_asked on approvals (asked_at);

-- A decision is made once, and what has been done stays done, whatever the program does.
create function pirogue_approval_once() returns trigger language plpgsql as $$
begin
  if old.decision is not null and (new.decision, new.decided_by, new.decided_session, new.decided_at)
    is distinct from (old.decision, old.decided_by, old.decided_session, old.decided_at) then
    raise exception 'approval % is decided', old.id
      using errcode = 'check_violation', constraint = 'approvals_decided_once', table = 'approvals';
  end if;
  if old.outcome = 'done' and new.outcome is distinct from 'done' then
    raise exception 'approval % is done', old.id
      using errcode = 'check_violation', constraint = 'approvals_done_once', table = 'approvals';
  end if;
  return new;
end $$;
create trigger approvals_once before update on approvals for each row execute function pirogue_approval_once();

grant select, insert, update, delete on approval_thresholds to pirogue_app;
grant select, insert, delete on approvals to pirogue_app;
-- Column by column: what was asked, by whom and for how much, never changes.
grant update (expires_at, decision, decided_by, decided_session, decided_at, done_at, outcome, result, message) on approvals to pirogue_app;
