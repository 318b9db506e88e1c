// A process that starts the database of the given folder and stays. Says what it started in one line of JSON, then
// obeys: the line `stop`, the line `leave` (ends without stopping), SIGINT (drains, then stops).
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../src/platform/db/embedded.ts';

const [dataDir = '', mode] = process.argv.slice(2);
const server = await startEmbedded({ dataDir, durable: mode === 'durable' });
const input = readline.createInterface({ input: process.stdin });
input.on('line', async (line) => {
  if (line === 'leave') process.exit(0);
  await server.stop();
  input.close();
});
process.on('SIGINT', async () => {
  await sleep(200); // longer than a server takes that got the signal itself
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  await client.query('select 1');
  await client.end();
  console.log('drained');
  await server.stop();
  input.close();
});
// last, since whoever reads this may act on it at once
console.log(JSON.stringify({ ...server, url: server.url('postgres') }));
