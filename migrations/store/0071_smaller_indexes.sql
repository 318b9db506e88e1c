-- Up Migration

-- Fewer bytes for each payment (docs/decisions/0069-packing.md).

-- Responses of receivers are found by their event when a person is erased. Most of them are an acknowledgement with nobody in it: the
-- list is that of src/money/webhooks/personal.ts.
create index delivery_attempts_responses on delivery_attempts (event_id) where response_body not in (
  '', 'ok', 'OK', 'Ok', 'success', 'received', 'accepted', 'Accepted', 'true', '1', '{}', 'EVENT_RECEIVED', '{"ok":true}',
  '{"success":true}', '{"received":true}', '{"received": true}', '{"status":"ok"}', '{"status":"success"}');
drop index delivery_attempts_answers;

-- Fifteen characters of an id, with its time and 25 random bits, find the same entries as all 36. Only the command line looks for them, as
-- the owner: under a policy an index on an expression is not used (docs/decisions/0029-row-level-security.md).
create index audit_entries_about on audit_entries (left(right(resource_id, 26), 15));
drop index audit_entries_resource;
