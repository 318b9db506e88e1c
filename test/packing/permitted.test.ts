import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { permittedFormat } from '../../src/program/start/formats-store.ts';
import { createTeam } from '../../src/tenants/teams/service.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

const MIGRATION = path.join(import.meta.dirname, '../../migrations/control/0110_packing_3.sql');

let databases: Databases;
let owner: DbPool;

before(async () => {
  databases = await cloneDatabases();
  owner = openPool({ url: databases.control, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await databases.drop();
});

test('a new installation writes dictionary 3, and one that had teams before goes on with dictionary 2', async () => {
  const migrate = () => owner.run({ text: fs.readFileSync(MIGRATION, 'utf8'), values: [] });
  assert.equal(await permittedFormat(owner, 'packing'), 3);
  await owner.run(sql`update formats set permitted = 2`);
  await migrate();
  assert.equal(await permittedFormat(owner, 'packing'), 3);
  await createTeam(owner, { name: 'Earlier', email: 'earlier@shop.example' });
  await owner.run(sql`update formats set permitted = 2`);
  await migrate();
  assert.equal(await permittedFormat(owner, 'packing'), 2);
});
