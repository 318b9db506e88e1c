-- Up Migration

-- Statement lines without a key that were set aside as missing here: every applied run looks whether one is identified by now.
create index reconciliation_breaks_unidentified on reconciliation_breaks (team_id, id)
  where kind = 'missing_here' and key is null and action = 'correct' and state in ('open', 'held');
