import type { Config } from './config.ts';
import type { Stores } from './db/stores.ts';
import type { Clock } from './kit/clock.ts';
import type { Secrets } from './kit/crypto.ts';
import type { Environment } from './kit/environment.ts';
import { type Send, send } from './kit/fetch.ts';
import type { Log } from './kit/log.ts';
import { FloatBook } from './float/book.ts';
import { Limits } from './limits/limits.ts';
import { Meters } from './metrics/meters.ts';
import { KeyAlerts } from './mail/key-alerts.ts';
import { paymentListeners } from './listeners.ts';
import { Applier } from './payments/applier.ts';
import { PaymentCreator } from './payments/create.ts';
import type { PaymentListener } from './payments/listeners.ts';
import { ProviderDirectory, type Providers } from './provider-accounts/directory.ts';
import { sandboxProvider } from './providers/sandbox/index.ts';
import { Health } from './routing/health.ts';
import { Router } from './routing/router.ts';
import { RuleBook } from './routing/rule-book.ts';
import type { Tracer } from './telemetry/tracer.ts';
import { tracedSend } from './telemetry/watch.ts';
import { Wake } from './work/wake.ts';

/** Dependencies of the program, built once by main and passed in explicitly (no container, no globals). */
export interface Deps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  stores: Stores;
  providers: Providers;
  router: Router;
  health: Health;
  /** Null when rate limits are disabled. */
  limits: Limits | null;
  /** Null when metrics are disabled. */
  meters: Meters | null;
  /** Null when tracing is disabled. */
  tracer: Tracer | null;
  keyAlerts: KeyAlerts;
  wake: Wake;
  /** `leaving` changes once: when the process starts to shut down. */
  service: { leaving: boolean };
  /** One per environment: concurrent payments share a statement. */
  creators: Record<Environment, PaymentCreator>;
  applier: Applier;
  /** Listeners for payment changes, called in the transaction of the change. */
  listeners: readonly PaymentListener[];
}

/** Builds all dependencies (the composition root). */
export function buildDeps(parts: {
  config: Config;
  stores: Stores;
  log: Log;
  secrets: Secrets;
  clock: Clock;
  providers?: Providers;
  tracer?: Tracer | null;
}): Deps {
  const { config, stores, log, secrets, clock, tracer = null } = parts;
  const { control } = stores;
  const health = new Health(clock);
  const listeners = paymentListeners(secrets);
  const meters = config.metrics ? new Meters() : null;
  const providers =
    parts.providers ??
    new ProviderDirectory({
      control,
      secrets,
      tools: { send: senderOf(config, tracer), clock, log },
      builtIn: { sandbox: sandboxProvider({ clock, delay_ms: config.sandbox_delay_ms }) },
      observe: (provider) => health.observe(meters ? meters.provider(provider, clock) : provider),
    });
  return {
    config,
    clock,
    log,
    stores,
    secrets,
    providers,
    health,
    router: new Router({
      ...{ providers, rules: new RuleBook(control, clock), health, clock },
      floats: new FloatBook({ stores, clock, log }),
    }),
    meters,
    tracer,
    limits: config.rate_limits ? new Limits(config, log) : null,
    keyAlerts: new KeyAlerts({ stores, clock, log }),
    wake: new Wake(),
    service: { leaving: false },
    creators: {
      sandbox: new PaymentCreator(stores.sandbox, config.create_batching),
      live: new PaymentCreator(stores.live, config.create_batching),
    },
    applier: new Applier(clock, listeners),
    listeners,
  };
}

function senderOf(config: Config, tracer: Tracer | null): Send {
  return keepingPace(config, tracer ? tracedSend(tracer, send, 'provider call') : send);
}

/**
 * Divides the timeouts of calls by the clock speed, so that all waits keep their proportions when the database's time is
 * accelerated.
 */
export function keepingPace({ hasten }: Pick<Config, 'hasten'>, sender: Send): Send {
  if (!hasten) return sender;
  return (options) => sender({ ...options, timeout_ms: Math.ceil(options.timeout_ms / hasten.speed) });
}
