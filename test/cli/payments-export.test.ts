import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { newId } from '../../src/kit/ids.ts';
import { jsonText } from '../../src/kit/json.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { paid } from '../setup/pay.ts';
import { type MerchantLine, openMerchantLine } from './merchant.ts';

/** Enough for pages of several statements, and for a heap that cannot hold all lines at once. */
const MANY = 11_000;
const NOTE = 'n'.repeat(8_000);

let line: MerchantLine;
let owner: DbPool;
let own: string;
before(async () => {
  line = await openMerchantLine();
  const log = createLog({ level: 'silent', format: 'json' });
  // The statement that makes the payments takes long on a busy machine.
  owner = openPool({ url: line.api.databases.sandbox, size: 1, statement_ms: 300_000, log });
  own = await paid(line.api, {
    key: line.merchant.sandbox.secret,
    amount: 12_345,
    fields: { reference: '@cmd', metadata: { a: 1 } },
  });
  const now = Date.now() - 3_600_000;
  const ids = Array.from({ length: MANY }, (_, i) => ({ id: newId('trx', 'sandbox', now + i) }));
  await owner.run(sql`
    insert into payments (team_id, id, amount_minor, currency, status, key_id, request_id, created_at, updated_at, expires_at, details)
    select ${line.merchant.team.id}, id, 100000, 'XAF', 'pending', 'key_1', 'req_1', now(), now(), now(),
      json_build_object('metadata', json_build_object('note', ${NOTE}::text))
    from json_to_recordset(${jsonText(ids)}::json) as i(id text)`);
});
after(async () => {
  await owner.close();
  await line.close();
});

test('every payment is written once, newest first, as the API returns it, in little memory', async () => {
  const stored = await owner.all<{ id: string }>(sql`
    select id from payments where team_id = ${line.merchant.team.id} order by id desc`);
  const { code, stdout, stderr } = await line.run(['payments', 'export', '--format', 'jsonl'], {
    NODE_OPTIONS: '--max-old-space-size=80',
  });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^(exporting: [\d,]+ payments\n)*$/, 'a line every ten seconds');
  assert.ok(stdout.length > 80 * 1024 * 1024, 'the heap could not hold it');
  const written = stdout.trimEnd().split('\n');
  assert.deepEqual(
    written.map((text) => JSON.parse(text).id),
    stored.map(({ id }) => id),
  );
  assert.deepEqual(JSON.parse(written[0] as string), (await line.get(`/payments/${own}`)).transaction);
});

test('CSV has one row for each payment that the filters leave, safe for spreadsheets', async () => {
  const { code, stdout } = await line.run(['payments', 'export', '--status', 'succeeded', '--amount-min', '12000']);
  const rows = stdout.split('\n');
  assert.deepEqual([code, rows.length, rows[2]], [0, 3, '']);
  const row = Object.fromEntries((rows[0] as string).split(',').map((name, i) => [name, rows[1]?.split(',')[i]]));
  const { transaction } = await line.get(`/payments/${own}`);
  assert.deepEqual(
    [row.id, row.amount, row.currency, row.fee, row.status, row.reference, row.channel, row.completed_at],
    [own, '12345', 'XAF', String(transaction.fee), 'succeeded', "'@cmd", 'cm.mtn', transaction.completed_at],
  );
});

test('a reader that closes the pipe ends the export without an error', async () => {
  const { execFileSync } = await import('node:child_process');
  const entry = new URL('../../src/program/cli/main.ts', import.meta.url).pathname;
  const script = `"$0" "$1" payments export --team ${line.merchant.team.id} | head -2; echo "\${PIPESTATUS[0]}"`;
  const text = execFileSync('bash', ['-c', script, process.execPath, entry], {
    encoding: 'utf8',
    env: { ...process.env, ...line.env },
  });
  const lines = text.trimEnd().split('\n');
  assert.deepEqual([lines.length, lines[0]?.slice(0, 13), lines[2]], [3, 'id,created_at', '0']);
});

test('a wrong filter is refused before anything is written', async () => {
  const { code, stdout, stderr } = await line.run(['payments', 'export', '--date-from', '2026-02-02', '--date-to', '2026-01-01']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^pirogue: --date-to must not be before date_from/);
});
