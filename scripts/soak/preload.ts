// Preloaded into the API and the worker of a soak.
import { registerHooks } from 'node:module';
import v8 from 'node:v8';

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
  /** Objects on the heap, without code. */
  heap_bytes: number;
  /** Bytecode and machine code. Functions that run rarely are compiled again hours after the start. */
  code_bytes: number;
  external_bytes: number;
  timers: number;
  sockets: number;
}

/** Names of V8's heap spaces for machine code, and for bytecode with the data that belongs to both. */
const CODE_SPACES = /^(?:shared_)?(?:code|trusted)_/;

function codeBytes(): number {
  const spaces = v8.getHeapSpaceStatistics().filter(({ space_name }) => CODE_SPACES.test(space_name));
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

process.on('message', (message) => {
  if (message !== 'measure') return;
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  const count = (name: RegExp) => resources.filter((resource) => name.test(resource)).length;
  const code_bytes = codeBytes();
  const measured: Measured = {
    heap_bytes: heapUsed - code_bytes,
    code_bytes,
    external_bytes: external,
    timers: count(/^Timeout$/),
    sockets: count(/^(TCP|TLS|Pipe)/),
  };
  process.send?.(measured);
});
process.channel?.unref();
