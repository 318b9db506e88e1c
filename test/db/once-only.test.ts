import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

let databases: Databases;
let owner: DbPool;
before(async () => {
  databases = await cloneDatabases();
  owner = openPool({ url: databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await databases.drop();
});

/**
 * What a store holds at most once besides the keys of its tables, and on which condition. Events by resource and sequence are not among
 * them: their numbers are counted in a table of their own (test/purge/partitions.test.ts).
 */
const ONCE = [
  'abuse_blocks(team_id, kind, value)',
  "attempts(team_id, payment_id) where status = ANY (ARRAY['created'::text, 'open'::text, 'unknown'::text])",
  'audit_group_seals(team_group, after_tx)',
  'audit_seals(after_tx)',
  'customers(team_id, email_key) where email_key IS NOT NULL',
  'customers(team_id, phone) where phone IS NOT NULL',
  "disputes(team_id, payment_id) where status = ANY (ARRAY['needs_response'::text, 'under_review'::text])",
  'invoices(team_id, number)',
  'journals(team_id, source_id, kind)',
  'ledger_group_seals(team_group, after_tx)',
  'ledger_seals(after_tx)',
  'payment_methods(team_id, customer_id, fingerprint)',
  'payments(team_id, reference) where unique_reference',
  'payments(team_id, retry_of) where retry_of IS NOT NULL',
  "refunds(team_id, attempt_id) where kind = 'giveback'::text AND return_id IS NULL",
  "refunds(team_id, return_id) where return_id IS NOT NULL AND (status = ANY (ARRAY['pending'::text, 'processing'::text]))",
  'returns(team_id, attempt_id, arrival)',
];

test('the unique indexes of a store are those of this list, with their conditions', async () => {
  const found = await owner.all<{ once: string }>(sql`
    select c.relname || '(' || (select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n)
        from generate_series(1, i.indnkeyatts) n) || ')' || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid, true), '') collate "C" as once
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary order by 1`);
  assert.deepEqual(
    found.map(({ once }) => once),
    ONCE,
  );
});
