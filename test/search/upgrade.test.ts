import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { SEARCHABLE_LINKS } from '../../src/edge/links/store.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { DEFAULT_BUILD, searchSweep } from '../../src/platform/search/sweep.ts';
import { Fixture } from './fixture.ts';

const MIGRATION = fs.readFileSync(new URL('../../migrations/store/0075_search_of_every_list.sql', import.meta.url), 'utf8');
const BUILD_LIMIT_MS = 120_000;

test('the migration reports the teams whose lists are long, and the builder indexes the rows that they have', async () => {
  const fixture = await Fixture.open();
  try {
    for (const [team_id, rows] of [
      [1n, DEFAULT_BUILD.segment_rows],
      [2n, DEFAULT_BUILD.segment_rows - 1],
      [3n, DEFAULT_BUILD.segment_rows + 1],
    ] as const) {
      await fixture.owner.run(sql`
        insert into links (team_id, id, title, currency, status, collect, event_count, key_id, request_id, created_at, updated_at)
        select ${team_id}, left(${newId('lnk', 'sandbox', Date.now() - 3_600_000)}, -16) || left(md5(i::text), 16), 'Basket ' || i, 'XAF',
          'active', '{}', 1, 'k', 'r', now(), now() from generate_series(1, ${rows}::integer) i`);
    }
    const begin = MIGRATION.indexOf('-- The teams that have a segment');
    await fixture.owner.run({ text: MIGRATION.slice(begin), values: [] });
    const due = await fixture.owner.all(sql`select team_id, kind from search_builds order by team_id`);
    assert.deepEqual(due, [
      { team_id: 1n, kind: 'links' },
      { team_id: 3n, kind: 'links' },
    ]);
    const deadline = performance.now() + BUILD_LIMIT_MS;
    const built = () => fixture.owner.all(sql`select team_id, row_count from search_segments order by team_id`);
    while ((await built()).length < 2) {
      assert.ok(performance.now() < deadline, 'not built');
      await fixture.owner.run(sql`update search_builds set due_at = now()`);
      await searchSweep(fixture.stores.sandbox, [SEARCHABLE_LINKS]).round();
    }
    assert.deepEqual(await built(), [
      { team_id: 1n, row_count: DEFAULT_BUILD.segment_rows },
      { team_id: 3n, row_count: DEFAULT_BUILD.segment_rows },
    ]);
  } finally {
    await fixture.close();
  }
});
