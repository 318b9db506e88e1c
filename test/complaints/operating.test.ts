import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parsed, pirogue } from '../cli/command.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';

/** Complaints of those who look after the service (docs/complaints.md). Setting it up is proven in test/start. */
const clock = new FakeClock();
const api = await startApi({ workers: false, clock, env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } });
after(() => api.stop());

test('complaint 14: teams and keys need a dashboard: a script creates a team and a working key, and revokes it', async () => {
  const env = {
    DATA_DIR: api.config.data_dir,
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  };
  const json = async (...args: string[]) => parsed(await pirogue([...args, '--json'], env));
  const team = await json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example');
  const { id, key } = await json('keys', 'create', '--team', team.id, '--environment', 'sandbox', '--kind', 'secret');
  const list = () => api.call('GET', '/payments', { key });
  assert.equal((await list()).status, 200);
  await json('keys', 'revoke', id);
  clock.advance(1_000);
  await until(list, ({ status }) => status === 401);
});

test('complaint 19: keys can be guessed without limit: the 31st guess from an address in a minute is 429', async () => {
  const guess = (n: number, ip: string) =>
    api.call('GET', '/payments', { key: `sk.${String(n).padStart(43, '0')}`, headers: { 'x-forwarded-for': ip } });
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++) statuses.push((await guess(n, '198.51.100.7')).status);
  assert.deepEqual([statuses.filter((status) => status === 401).length, statuses.slice(30)], [30, Array(10).fill(429)]);
  assert.equal((await guess(41, '198.51.100.8')).status, 401, 'others are not kept out');
});
