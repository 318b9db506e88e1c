// One process of a run: it runs the worlds that its parent sends, one after another, on a PostgreSQL of its own.
import { installDriver } from './driver.ts';
import { rememberSerialisers } from './fast-start.ts';
import { install } from './virtual.ts';
import type { WorldOptions } from './world.ts';

rememberSerialisers();
install();
installDriver();
const [{ Cluster }, { runWorld }, town] = await Promise.all([
  import('./databases.ts'),
  import('./world.ts'),
  import('./population.ts'),
]);
const cluster = await Cluster.start();

process.on('message', async (options: Omit<WorldOptions, 'without'> & { without: string[] }) => {
  const before = process.cpuUsage();
  try {
    const report = await runWorld(cluster, town, { ...options, without: new Set(options.without) });
    const { user, system } = process.cpuUsage(before);
    process.send?.({ report, cpu_ms: (user + system) / 1000 });
  } catch (error) {
    process.send?.({ error: (error as Error).stack ?? String(error), cpu_ms: 0 });
  }
});
// An interrupt reaches this process as well as its parent. The parent then disconnects, and this process stops its server.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.once('disconnect', async () => {
  await cluster[Symbol.asyncDispose]();
  process.exit(0);
});
process.send?.('ready');
