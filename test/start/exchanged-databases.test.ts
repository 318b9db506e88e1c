import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { asService, cloneDatabases, type Databases } from '../setup/databases.ts';
import { newFolder, startProgram } from '../ops/program.ts';

/** A start on the database of another environment: what the sandbox pays out would move real money. */
const home = newFolder();
let databases: Databases;
before(async () => {
  databases = await cloneDatabases();
});
after(async () => {
  await databases.drop();
  fs.rmSync(home, { recursive: true, force: true });
});

/** Another text for the same database. */
function respelled(url: string): string {
  const other = new URL(url);
  other.searchParams.set('application_name', 'other');
  return other.href;
}

/** What a start prints that is refused; `started` when it is not. */
async function outcome(changes: Partial<Databases>, MIGRATE_ON_START: string): Promise<string> {
  const started = startProgram({
    dataDir: path.join(home, 'data'),
    databases: { ...databases, ...changes },
    env: { MIGRATE_ON_START },
  });
  const program = await started.catch((error: Error) => error.message);
  if (typeof program === 'string') return program;
  await program.stop();
  return 'started';
}

for (const MIGRATE_ON_START of ['off', 'on']) {
  test(`URLs of sandbox and live that are exchanged are refused with MIGRATE_ON_START=${MIGRATE_ON_START}`, async () => {
    const { sandbox, live } = databases;
    assert.match(
      await outcome({ sandbox: live, live: sandbox }, MIGRATE_ON_START),
      /pirogue: SANDBOX_DATABASE_URL names the database of the live environment: .* exchanged/,
    );
  });

  test(`one database under two addresses is refused with MIGRATE_ON_START=${MIGRATE_ON_START}`, async () => {
    const { sandbox, live } = databases;
    assert.match(await outcome({ live: respelled(sandbox) }, MIGRATE_ON_START), /pirogue: LIVE_DATABASE_URL names .* sandbox/);
    assert.match(await outcome({ sandbox: respelled(live) }, MIGRATE_ON_START), /pirogue: SANDBOX_DATABASE_URL names .* live/);
    assert.match(await outcome({ control: respelled(live) }, MIGRATE_ON_START), /pirogue: CONTROL_DATABASE_URL names .* live/);
  });
}

test('a store that is the control database is refused; the right ones are not', async () => {
  assert.match(
    await outcome({ live: respelled(databases.control) }, 'off'),
    /pirogue: LIVE_DATABASE_URL names a database without the tables of a store/,
  );
  for (const MIGRATE_ON_START of ['on', 'off']) assert.equal(await outcome({}, MIGRATE_ON_START), 'started');
});

test('the login of the service, which has no privileges, notices it too', async () => {
  const { control, sandbox, live } = databases;
  const urls = { control: asService(control), sandbox: asService(live), live: asService(sandbox) };
  assert.match(await outcome(urls, 'off'), /pirogue: SANDBOX_DATABASE_URL names the database of the live environment/);
});
