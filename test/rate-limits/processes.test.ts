import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startProgram } from '../ops/program.ts';
import { cloneDatabases } from '../setup/databases.ts';
import { noRedis, RedisServer } from './redis-server.ts';

/** Requests of one key in a minute. */
const CEILING = 100;

test('three processes that share one Redis together allow as many requests as one', { skip: noRedis() }, async (t) => {
  const [databases, redis] = await Promise.all([cloneDatabases(), RedisServer.prepare()]);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-limits-'));
  t.after(async () => {
    await redis.remove();
    await databases.drop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
  await redis.start();
  const env = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '10000', RATE_LIMITS: 'on' };
  // One after the other: the first makes the demo team.
  const programs: Awaited<ReturnType<typeof startProgram>>[] = [];
  for (let i = 0; i < 3; i++) programs.push(await startProgram({ role: 'api', dataDir, databases, env }));
  const authorization = programs[0]?.keys.sandbox.secret as string;
  const answers = await Promise.all(
    Array.from({ length: CEILING + 20 }, async (_, i) => {
      const response = await fetch(`${programs[i % 3]?.url}/currencies`, { headers: { authorization } });
      return { status: response.status, body: (await response.json()) as { type?: string } };
    }),
  );
  const stopped = await Promise.all(programs.map((program) => program.stop()));
  const refused = answers.filter(({ status }) => status === 429);
  assert.deepEqual([answers.filter(({ status }) => status === 200).length, refused.length], [CEILING, 20]);
  assert.deepEqual(new Set(refused.map(({ body }) => body.type)), new Set(['api_key']));
  assert.deepEqual(stopped, [0, 0, 0]);
});
