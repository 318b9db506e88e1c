import type { Config } from './config.ts';
import type { Stores } from './db/stores.ts';
import { type Clock, systemClock } from './kit/clock.ts';
import { Secrets } from './kit/crypto.ts';
import type { Environment } from './kit/environment.ts';
import type { Log } from './kit/log.ts';
import { PaymentCreator } from './payments/create.ts';
import { Registry } from './providers/registry.ts';
import { sandboxProvider } from './providers/sandbox/index.ts';
import { Wake } from './work/wake.ts';

/** What the program is made of, built once by main and handed in by the front (no container, no globals). */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  stores: Stores;
  providers: Registry;
  wake: Wake;
  /** One for each store: payments made at once share a statement. */
  creators: Record<Environment, PaymentCreator>;
}

/** The composition root. @param secretsKey 32 bytes */
export function buildDeps(parts: {
  config: Config;
  stores: Stores;
  log: Log;
  secretsKey: Buffer;
  clock?: Clock;
  providers?: Registry;
}): Deps {
  const { config, stores, log, clock = systemClock } = parts;
  const sandbox = sandboxProvider({ clock, delay_ms: config.sandbox_delay_ms });
  return {
    config,
    clock,
    log,
    stores,
    secrets: new Secrets(parts.secretsKey),
    providers: parts.providers ?? new Registry({ sandbox: [sandbox], live: [] }),
    wake: new Wake(),
    creators: {
      sandbox: new PaymentCreator(stores.sandbox, config.create_batching),
      live: new PaymentCreator(stores.live, config.create_batching),
    },
  };
}
