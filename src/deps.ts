import type { AbuseDeps } from './abuse/deps.ts';
import type { AccountDeps } from './accounts/deps.ts';
import type { BalanceDeps } from './balance/deps.ts';
import type { BeneficiaryDeps } from './beneficiaries/deps.ts';
import type { CallbackDeps } from './callbacks/deps.ts';
import type { CheckoutDeps } from './checkout/deps.ts';
import type { Config } from './config.ts';
import type { CustomerDeps } from './customers/deps.ts';
import type { Stores } from './db/stores.ts';
import type { DisputeDeps } from './disputes/deps.ts';
import type { Clock } from './kit/clock.ts';
import type { Secrets } from './kit/crypto.ts';
import { type Send, send } from './kit/fetch.ts';
import type { Log } from './kit/log.ts';
import { FloatBook } from './float/book.ts';
import type { FloatDeps } from './float/deps.ts';
import type { HttpDeps } from './http/deps.ts';
import type { InvoiceDeps } from './invoices/deps.ts';
import { Limits } from './limits/limits.ts';
import type { LinkDeps } from './links/deps.ts';
import { Meters } from './metrics/meters.ts';
import { KeyAlerts } from './mail/key-alerts.ts';
import { guardCharge, paymentListeners } from './listeners.ts';
import type { MailDeps } from './mail/deps.ts';
import type { MetricsDeps } from './metrics/deps.ts';
import { Applier } from './payments/applier.ts';
import { PaymentCreator } from './payments/create.ts';
import type { PaymentDeps } from './payments/deps.ts';
import { ProviderDirectory, type Providers } from './provider-accounts/directory.ts';
import { sandboxProvider } from './providers/sandbox/index.ts';
import type { PurgeDeps } from './purge/deps.ts';
import type { RefundDeps } from './refunds/deps.ts';
import type { ReturnDeps } from './returns/deps.ts';
import { Health } from './routing/health.ts';
import { Router } from './routing/router.ts';
import { RuleBook } from './routing/rule-book.ts';
import type { SandboxClockDeps } from './sandbox-clock/deps.ts';
import type { SettlementDeps } from './settlement/deps.ts';
import type { Tracer } from './telemetry/tracer.ts';
import { tracedSend } from './telemetry/watch.ts';
import type { TransferDeps } from './transfers/deps.ts';
import type { WebhookDeps } from './webhooks/deps.ts';
import { Wake } from './work/wake.ts';

/** Dependencies of the program: those that each room declares, built once by main (no container, no globals). */
export interface Deps
  extends AbuseDeps,
    AccountDeps,
    BalanceDeps,
    BeneficiaryDeps,
    CallbackDeps,
    CheckoutDeps,
    CustomerDeps,
    DisputeDeps,
    FloatDeps,
    HttpDeps,
    InvoiceDeps,
    LinkDeps,
    MailDeps,
    MetricsDeps,
    PaymentDeps,
    PurgeDeps,
    RefundDeps,
    ReturnDeps,
    SandboxClockDeps,
    SettlementDeps,
    TransferDeps,
    WebhookDeps {
  /** Null when metrics are disabled. */
  meters: Meters | null;
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
    guardCharge,
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
