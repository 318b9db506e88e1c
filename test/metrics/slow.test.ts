import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db } from '../../src/kit/sql.ts';
import type { OpenStores } from '../../src/platform/db/stores.ts';
import type { MetricsServer } from '../../src/edge/metrics/server.ts';
import { openMetrics } from '../../src/program/start/observed.ts';
import { type Api, freePort, startApi, until } from '../setup/api.ts';

/** The database never answers: a scrape that waited for it would not end at all. */
const SCRAPE_TIMEOUT_MS = 30_000;
const OF_EACH_DATABASE = [
  ...['queue_depth', 'ledger_unsealed_seconds', 'float_watched'],
  ...['returns_open', 'outcomes_awaited', 'partitions'],
];

let api: Api;
let metrics: MetricsServer;
let statements = 0;

before(async () => {
  api = await startApi({ workers: false, env: { METRICS_PORT: String(await freePort()) } });
  const { stores } = api.deps;
  const never = () => {
    statements += 1;
    return new Promise<never>(() => {});
  };
  const silent: Db = { all: never, maybe: never, run: never, transaction: never };
  const deps = { ...api.deps, stores: { ...stores, live: { ...stores.live, db: silent } } };
  metrics = (await openMetrics(deps, [], () => (stores as OpenStores).use())) as MetricsServer;
});
after(async () => {
  await metrics.close();
  await api.stop();
});

async function scrape(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
  return response.text();
}

test('the metrics of everything else come in time while a database does not answer, and it is not asked twice', async () => {
  // On a busy machine the other database is late, too: its figures then come with a later scrape.
  const text = await until(scrape, (found) =>
    OF_EACH_DATABASE.every((name) => new RegExp(`^pirogue_${name}\\{environment="sandbox"`, 'm').test(found)),
  );
  assert.match(text, /^pirogue_store_up\{environment="live"\} 0$/m);
  assert.match(text, /^pirogue_store_up\{environment="sandbox"\} 1$/m);
  for (const name of ['pirogue_build_info', 'pirogue_db_pool', 'pirogue_db_circuit', 'process_resident_memory_bytes']) {
    assert.match(text, new RegExp(`^${name}\\b`, 'm'));
  }
  for (const name of OF_EACH_DATABASE) assert.doesNotMatch(text, new RegExp(`^pirogue_${name}\\{environment="live"`, 'm'));
  const asked = statements;
  assert.ok(asked > 0);
  assert.match(await scrape(), /^pirogue_store_up\{environment="live"\} 0$/m);
  assert.equal(statements, asked);
});
