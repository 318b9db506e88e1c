import type { AbuseDeps } from '../core/abuse/deps.ts';
import type { AccountDeps } from '../core/accounts/deps.ts';
import type { BalanceDeps } from '../core/balance/deps.ts';
import type { BeneficiaryDeps } from '../core/beneficiaries/deps.ts';
import type { CallbackDeps } from '../edge/callbacks/deps.ts';
import type { CheckoutDeps } from '../edge/checkout/deps.ts';
import type { Config } from '../platform/config/config.ts';
import type { CustomerDeps } from '../core/customers/deps.ts';
import { Batches } from '../platform/db/batches.ts';
import type { Stores } from '../platform/db/stores.ts';
import type { DisputeDeps } from '../core/disputes/deps.ts';
import type { Clock } from '../kit/clock.ts';
import type { Secrets } from '../kit/crypto.ts';
import { type Send, send } from '../kit/fetch.ts';
import type { Log } from '../kit/log.ts';
import { FloatBook } from '../providers/float/book.ts';
import type { FloatDeps } from '../providers/float/deps.ts';
import type { HttpDeps } from '../edge/http/deps.ts';
import type { InvoiceDeps } from '../edge/invoices/deps.ts';
import { Limits } from '../platform/rate-limits/limits.ts';
import type { LinkDeps } from '../edge/links/deps.ts';
import { Meters } from '../edge/metrics/meters.ts';
import { KeyAlerts } from '../tenants/outbox/key-alerts.ts';
import { guardCharge, paymentListeners } from './listeners.ts';
import { exchangeLogOf, lossesOf, requestLogOf } from './logs.ts';
import type { MailDeps } from '../edge/mail/deps.ts';
import type { MetricsDeps } from '../edge/metrics/deps.ts';
import { Applier } from '../core/payments/applier.ts';
import { PaymentCreator } from '../core/payments/create.ts';
import { PaymentReader } from '../core/payments/read.ts';
import type { PaymentDeps } from '../core/payments/deps.ts';
import { ProviderDirectory, type Providers } from '../providers/provider-accounts/directory.ts';
import { sandboxProvider } from '../providers/adapters/sandbox/index.ts';
import type { PurgeDeps } from '../edge/purge/deps.ts';
import type { RefundDeps } from '../core/refunds/deps.ts';
import { endUncoveredRefunds } from '../core/refunds/waiting.ts';
import { refundsUnderWay } from '../core/refunds/store.ts';
import type { ReturnDeps } from '../core/returns/deps.ts';
import type { ExchangeLog } from '../providers/exchanges/log.ts';
import { ExchangeWatch } from '../providers/exchanges/watch.ts';
import { Health } from '../providers/routing/health.ts';
import { Router } from '../providers/routing/router.ts';
import { RuleBook } from '../providers/routing/rule-book.ts';
import type { SandboxClockDeps } from '../edge/sandbox-clock/deps.ts';
import { ChargeTerms } from '../tenants/teams/charge-terms.ts';
import type { Tracer } from '../platform/telemetry/tracer.ts';
import { tracedSend } from '../platform/telemetry/watch.ts';
import type { TransferDeps } from '../core/transfers/deps.ts';
import type { WebhookDeps } from '../money/webhooks/deps.ts';
import { Shards } from '../platform/work/shards.ts';
import { Wake } from '../platform/work/wake.ts';
import { Nodes } from '../platform/nodes/nodes.ts';
import { ownState, Peers } from '../platform/nodes/peers.ts';

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
    TransferDeps,
    WebhookDeps {
  /** Null when metrics are disabled. */
  meters: Meters | null;
  peers: Peers;
  /** Null when exchanges with providers are not stored. */
  exchangeLog: ExchangeLog | null;
  /** Exchange with the other running nodes, once started. */
  nodes: Nodes;
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
  const peers = new Peers(ownState(stores, clock));
  const listeners = paymentListeners(secrets);
  const meters = config.metrics ? new Meters() : null;
  const losses = lossesOf({ log, clock, meters });
  const exchangeLog = exchangeLogOf(config, stores, losses);
  const watch = exchangeLog && new ExchangeWatch((exchange) => exchangeLog.add(exchange), clock);
  const sender = senderOf(config, tracer);
  const providers =
    parts.providers ??
    new ProviderDirectory({
      control,
      secrets,
      tools: { send: watch ? watch.send(sender) : sender, clock, log },
      builtIn: { sandbox: sandboxProvider({ clock, delay_ms: config.sandbox_delay_ms }) },
      observe: (provider, owner) => {
        const watched = watch && owner ? watch.provider(provider, owner) : provider;
        return health.observe(meters ? meters.provider(watched, clock) : watched);
      },
    });
  return {
    config,
    clock,
    log,
    stores,
    secrets,
    providers,
    health,
    peers,
    nodes: new Nodes({ db: control, log, topics: [peers, health] }),
    router: new Router({
      ...{ providers, rules: new RuleBook(control, clock), health, clock },
      floats: new FloatBook({ stores, clock, log }),
    }),
    meters,
    tracer,
    limits: config.rate_limits ? new Limits(config, log) : null,
    requestLog: requestLogOf(config, stores, losses),
    exchangeLog,
    keyAlerts: new KeyAlerts({ stores, clock, log }),
    wake: new Wake(),
    shards: { sandbox: new Shards(), live: new Shards() },
    service: { leaving: false },
    creators: {
      sandbox: new PaymentCreator(stores.sandbox, config.create_batching),
      live: new PaymentCreator(stores.live, config.create_batching),
    },
    readers: { sandbox: new PaymentReader(stores.sandbox), live: new PaymentReader(stores.live) },
    terms: new ChargeTerms(control, clock),
    applier: new Applier(clock, listeners),
    batches: new Batches(),
    listeners,
    guardCharge,
    refundsUnderWay,
    endUncoveredRefunds,
  };
}

function senderOf(config: Config, tracer: Tracer | null): Send {
  return scaledTimeouts(config, tracer ? tracedSend(tracer, send, 'provider call') : send);
}

/**
 * Divides the timeouts of calls by the clock speed, so that all waits keep their proportions when the database's time is
 * accelerated.
 */
export function scaledTimeouts({ hasten }: Pick<Config, 'hasten'>, sender: Send): Send {
  if (!hasten) return sender;
  return (options) => sender({ ...options, timeout_ms: Math.ceil(options.timeout_ms / hasten.speed) });
}
