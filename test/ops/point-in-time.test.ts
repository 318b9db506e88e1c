import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { copyRunning } from '../../src/program/cli/backup/running.ts';
import { showProgress } from '../../src/program/cli/progress.ts';
import { giveTo } from '../../src/platform/db/embedded/account.ts';
import { findPlace } from '../../src/platform/db/embedded/place.ts';
import { startEmbedded } from '../../src/platform/db/embedded.ts';
import { until } from '../setup/api.ts';
import { query } from '../db/helpers.ts';
import { newFolder } from './program.ts';

test('a base backup and the archived log restore an intermediate point in time (docs/backup.md)', async (t) => {
  const home = newFolder();
  t.after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const [first, second, archive] = ['first', 'second', 'archive'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [first, second, archive]) fs.mkdirSync(folder);
  fs.chmodSync(archive, 0o777);

  const archiving = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
  const server = await startEmbedded({ dataDir: first, settings: archiving });
  const url = server.url('postgres');
  await query(url, 'create table notes (text text)', `insert into notes values ('before the copy')`);
  const { cluster, account } = findPlace(second);
  await copyRunning(url, path.join(first, 'pg18'), cluster, showProgress(true));
  const [moment] = await query(url, `insert into notes values ('after the copy')`, 'select now()::text as now, pg_sleep(0.1)');
  await query(url, `insert into notes values ('by mistake')`);
  const [log] = await query(url, 'select pg_walfile_name(pg_switch_wal()) as name');
  await until(
    async () => fs.readdirSync(archive),
    (names) => names.includes(String(log?.name)),
  );
  await server.stop();

  fs.writeFileSync(path.join(cluster, 'recovery.signal'), '');
  giveTo(account, cluster);
  for (const name of fs.readdirSync(cluster, { recursive: true, encoding: 'utf8' })) giveTo(account, path.join(cluster, name));
  const recovered = await startEmbedded({
    dataDir: second,
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: String(moment?.now),
      recovery_target_action: 'promote',
    },
  });
  const rows = await query(recovered.url('postgres'), 'select text from notes');
  await recovered.stop();
  assert.deepEqual(
    rows.map(({ text }) => text),
    ['before the copy', 'after the copy'],
  );
});
