import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../setup/api.ts';
import { balancer } from '../setup/balancer.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { call, newFolder, type Program, startProgram } from './program.ts';

const WRITERS = 6;

const dataDir = newFolder();
let databases: Databases | undefined;
const running = new Set<Program>();

after(async () => {
  await Promise.all([...running].map((program) => program.stop()));
  await databases?.drop();
  fs.rmSync(dataDir, { recursive: true });
});

async function start(port: number): Promise<Program> {
  // The balancer, which is in this process, has to learn of it meanwhile: a busy machine may halt it for seconds.
  const env = { PORT: String(port), DRAIN_MS: '12000', PUBLIC_URL: 'http://127.0.0.1:1' };
  const program = await startProgram({ role: 'api', dataDir, databases: databases as Databases, env });
  running.add(program);
  return program;
}

test('two API processes are restarted one after the other under load, and no request fails', async () => {
  databases = await cloneDatabases();
  const ports = [await freePort(), await freePort()];
  let programs: Program[] = [];
  for (const port of ports) programs.push(await start(port));
  const front = balancer(ports);
  const url = await front.listen();
  const { secret } = (programs[0] as Program).keys.sandbox;

  const failed: string[] = [];
  let done = 0;
  let going = true;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 0; going; n++) {
      const reference = `w${writer}-${n}`;
      const made = await call(url, secret, 'POST', '/payments', {
        amount: 500,
        currency: 'XAF',
        phone: '+237650000000',
        reference,
      });
      if (made.status !== 201)
        failed.push(`${reference}: ${made.status} ${made.headers.get('x-failure') ?? JSON.stringify(made.body)}`);
      done++;
    }
  });
  try {
    for (const [i, port] of ports.entries()) {
      const before = done;
      assert.equal(await (programs[i] as Program).stop(), 0);
      assert.ok(done > before, 'there was no load while it stopped');
      const restarted = await start(port);
      programs = programs.map((program, place) => (place === i ? restarted : program));
      await sleep(300);
    }
  } finally {
    going = false;
    await Promise.all(writers);
    front.close();
  }

  assert.deepEqual(failed, []);
  const { body } = await call((programs[0] as Program).url, secret, 'GET', '/payments?per_page=1');
  assert.equal(body.meta.total, done);
});
