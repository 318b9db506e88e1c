import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/platform/db/migrate.ts';
import { survey } from '../../src/platform/db/partitioning/survey.ts';
import { withOwner } from './partitioning.ts';
import { Server } from './servers.ts';

test('a standby reports sizes, and that only the primary can be partitioned', async () => {
  const primary = await Server.primary();
  let standby: Server | undefined;
  try {
    await migrate(primary.url('postgres'), 'store');
    // Copied from the primary's files.
    await primary.run('checkpoint');
    standby = await primary.standby();
    const reports = await withOwner(standby.url('postgres'), (client) => survey(client, ['payments', 'transfers'], 4, true));
    for (const { bytes, obstacles } of reports) {
      assert.ok(bytes > 0);
      assert.ok(obstacles.includes('this server is a standby: use the primary'), obstacles.join('; '));
      assert.ok(!obstacles.some((obstacle) => obstacle.includes('read-only')), obstacles.join('; '));
    }
  } finally {
    await standby?.remove();
    await primary.remove();
  }
});
