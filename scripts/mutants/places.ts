import fs from 'node:fs';
import path from 'node:path';
import { connectClient } from '../../src/platform/db/client.ts';
import { makeTemplates, testServer } from '../testing/cluster.ts';
import { copyProject } from '../testing/copy.ts';
import type { Place } from './run-test.ts';

const LEFT = 't\\_';

/** Copies of the project that share one throwaway PostgreSQL. */
export interface Places extends AsyncDisposable {
  list: Place[];
}

/** Makes the copies and the server. */
export async function makePlaces(root: string, count: number, end: AbortSignal): Promise<Places> {
  const server = await testServer();
  const copies: string[] = [];
  const client = await connectClient(server.url('postgres'));
  const remove = async () => {
    await client.end();
    for (const copy of copies) fs.rmSync(copy, { recursive: true, force: true });
    await server[Symbol.asyncDispose]();
  };
  // Databases carry the number of the process that made them (test/setup/databases.ts).
  let turn: Promise<unknown> = Promise.resolve();
  const clean = (pid: number): Promise<void> => {
    const result = turn.then(async () => {
      const { rows } = await client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
        `${LEFT}${pid}\\_%`,
      ]);
      for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
    });
    turn = result.catch(() => {});
    return result;
  };
  try {
    await makeTemplates(server);
    for (let i = 0; i < count; i++) copies.push(copyProject(root, 'pirogue-mutants-'));
    const env: NodeJS.ProcessEnv = {
      // Property tests run last, with few runs each.
      PROPERTY_RUNS: '30',
      ...process.env,
      NODE_COMPILE_CACHE: path.join(root, '.cache', 'compiled'),
      PIROGUE_TEST_SERVER: server.url('postgres'),
    };
    delete env.TEST_POSTGRES_URL;
    delete env.NODE_TEST_CONTEXT;
    return { list: copies.map((copy) => ({ root: copy, env, clean, end })), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
