-- Up Migration

-- How often another amount or currency than was asked for was reported of an attempt, `mismatch` included: the second, after the first
-- was resolved, is a journal of its own (evidence.mismatched:2). An attempt that has ended can have one too.
alter table attempts add column mismatches smallint not null default 0 check (mismatches >= 0);
update attempts a set mismatches = 1
  from journals j
  where j.team_id = a.team_id and j.source_id = a.id and j.family = 'evidence.mismatched';

-- Who caused the prompt on the payer's phone, of charges on mobile money (docs/decisions/0053-prompts.md). Null: nobody in person,
-- or from before.
alter table attempts add column prompted_by text check (prompted_by in ('public', 'page', 'private'));

comment on column attempts.next_poll_at is
  'When the provider is asked next. Of an attempt that was closed as one that never arrived: the provider has it after all, and money may still move.';
