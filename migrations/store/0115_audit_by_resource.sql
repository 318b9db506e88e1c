-- migration: no transaction
-- Finds the entries about a resource under row-level security, which audit_entries_about (0071) cannot: `left` and `right` are not
-- leakproof, so PostgreSQL evaluates them after the policy, on all rows of the team. Only the owner's role could use it.
create index concurrently if not exists audit_entries_resource on audit_entries (resource_id);
-- migration: allow contract because every statement that could use it compares the whole id too, which the new index serves
drop index concurrently if exists audit_entries_about;
