// Preloaded into the API and worker processes of a cluster, of this version and of earlier ones.
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const CHECKED = pathToFileURL(path.resolve('src/money/webhooks/url.ts')).href;
const OPEN = `${CHECKED}?open`;

// The service sends live webhooks to public addresses only, and the receiver of a test is on this machine. Nothing else of the
// program is replaced.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === CHECKED ? { ...found, url: OPEN } : found;
  },
  load(url, context, next) {
    if (url !== OPEN) return next(url, context);
    const source = `export * from '${CHECKED}?checked';\nexport const guardOf = () => 'public_or_loopback';\n`;
    return { format: 'module', source, shortCircuit: true };
  },
});

// The machine's clock of this one process, in milliseconds ahead of the true time. Measured durations stay true.
const shift_ms = Number(process.env.CLUSTER_CLOCK_SHIFT_MS ?? 0);
if (shift_ms !== 0) {
  const True = Date;
  const now = () => True.now() + shift_ms;
  globalThis.Date = new Proxy(True, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, self === globalThis.Date ? target : self),
    apply: () => new True(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
