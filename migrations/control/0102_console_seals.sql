-- Up Migration

-- People act in the console all day, and commands run seldom: the service seals the audit trail of control itself, as in the stores.
-- It reads the entries that it seals, and can change or remove neither them nor a seal.
grant select on audit_entries to pirogue_app;
grant select, insert (after_tx, up_to_tx, entries, previous, hash) on audit_seals to pirogue_app;

-- A team's people decide whether payers may try again.
grant update (hosted_retry) on teams to pirogue_app;
