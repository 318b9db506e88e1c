import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { addressOf, VirtualAddress } from '../db/servers.ts';
import { newFolder, startProgram } from '../ops/program.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/** A process that stops while its databases are reached and say nothing any more, as behind a pooler that has lost its servers. */
const SHUTDOWN_MS = 500;
/**
 * docs/operations.md allows eight seconds for what follows, and machines that run tests are busy. A process that waits for its databases takes 22.5 s
 * (src/program/start/run.ts).
 */
const LIMIT_MS = SHUTDOWN_MS + 20_000;

const dataDir = newFolder();
let databases: Databases;
let address: VirtualAddress;
before(async () => {
  databases = await cloneDatabases();
  address = new VirtualAddress(addressOf(databases.live));
  await address.listen();
});
after(async () => {
  address.close();
  await databases.drop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

for (const role of ['all', 'api']) {
  test(`a process of role ${role} exits in time though its databases do not respond`, async () => {
    address.passes = true;
    const { control, sandbox, live, drop } = databases;
    const behind = { control: address.url(control), sandbox: address.url(sandbox), live: address.url(live), drop };
    const env = { SHUTDOWN_MS: String(SHUTDOWN_MS) };
    const { child } = await startProgram({ role, dataDir, databases: behind, env });
    try {
      const exit = once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) });
      address.passes = false;
      child.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
}
