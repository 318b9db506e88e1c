import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { Nodes } from '../../src/platform/nodes/nodes.ts';
import { until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

const log = createLog({ level: 'silent', format: 'json' });
let databases: Databases;
let db: DbPool;
before(async () => {
  databases = await cloneDatabases();
  db = openPool({ url: databases.control, size: 2, log });
});
after(async () => {
  await db.close();
  await databases.drop();
});

test('of more reports than one read holds, made within a moment, every one arrives', async () => {
  await db.run(sql`
    insert into node_reports (node, topic, key, body, reported_at)
    select 'other', 'test', n::text, '{}', pirogue_now() - interval '1 s' + n * interval '0.2 ms' from generate_series(1, 4500) n`);
  const learned = new Set<string>();
  const nodes = new Nodes({
    ...{ db, log },
    topics: [{ name: 'test', changes: () => [], undo: () => {}, learn: ({ key }) => learned.add(key) }],
  });
  nodes.start();
  try {
    await until(
      async () => learned.size,
      (count) => count === 4_500,
    );
  } finally {
    await nodes.stop();
  }
});
