// Preloaded into the API and the worker of a soak.
import { registerHooks } from 'node:module';

const CHECKED = new URL('../../src/money/webhooks/url.ts', import.meta.url).href;
const OPEN = new URL('./live-url.ts', import.meta.url).href;

// The service sends live webhooks to public addresses only. Nothing else of it is replaced.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === CHECKED && context.parentURL !== OPEN ? { ...found, url: OPEN } : found;
  },
});

/** Memory and resources of a process, after a garbage collection: only what is still referenced counts. */
export interface Measured {
  heap_bytes: number;
  external_bytes: number;
  timers: number;
  sockets: number;
}

process.on('message', (message) => {
  if (message !== 'measure') return;
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const count = (name: RegExp) => resources.filter((resource) => name.test(resource)).length;
  const measured: Measured = {
    heap_bytes: heapUsed,
    external_bytes: external,
    timers: count(/^Timeout$/),
    sockets: count(/^(TCP|TLS|Pipe)/),
  };
  process.send?.(measured);
});
process.channel?.unref();
