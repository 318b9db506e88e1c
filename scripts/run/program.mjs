import fs from 'node:fs';
import path from 'node:path';

const SERVICE = 'src/main.ts';

/**
 * How Node is started with a program of this checkout, in its folder. The service is given what service.json says, which keeps its
 * memory small; the image and the benchmark have the same (the reasons: docs/performance/memory.md). Any other program has a cache
 * of compiled sources: without one, each start compiles some hundred files.
 */
export function programOptions(root, args, env) {
  if (args[0] !== SERVICE) return { args, env: { NODE_COMPILE_CACHE: path.join(root, '.cache', 'compiled'), ...env } };
  const service = JSON.parse(fs.readFileSync(path.join(root, 'scripts', 'run', 'service.json'), 'utf8'));
  // Removed, because Node keeps everything that it has read from its cache in memory.
  const { NODE_COMPILE_CACHE: _, ...others } = env;
  return { args: [...service.flags, ...args], env: { ...service.env, ...others } };
}
