import type { FastifyInstance } from 'fastify';
import { abuseCleanupSweep, usualSweep } from '../core/abuse/sweeps.ts';
import { accountRoutes } from '../core/accounts/routes.ts';
import { auditSealSweep, controlSealSweep } from '../tenants/audit/chains.ts';
import { balanceRoutes } from '../core/balance/routes.ts';
import { beneficiaryRoutes } from '../core/beneficiaries/routes.ts';
import { onboardingPages } from '../edge/checkout/onboarding.ts';
import { callbackPages } from '../edge/callbacks/pages.ts';
import { checkoutPages } from '../edge/checkout/routes.ts';
import { paymentMethodRoutes } from '../core/customers/method-routes.ts';
import { customerRoutes } from '../core/customers/routes.ts';
import { erasureRoutes } from '../edge/erasure/routes.ts';
import { erasureSweep, payerSweep } from '../edge/erasure/sweeps.ts';
import { methodSweep } from '../core/customers/sweeps.ts';
import type { Store } from '../platform/db/stores.ts';
import { send } from '../kit/fetch.ts';
import { type Deps, scaledTimeouts } from './deps.ts';
import { disputeRoutes } from '../core/disputes/routes.ts';
import { eventRoutes } from '../money/webhooks/event-routes.ts';
import { batchSweep } from '../core/payout-batches/sweeps.ts';
import { figuresSweep } from '../core/figures/sweeps.ts';
import { floatSweep } from '../providers/float/sweeps.ts';
import { healthPages } from '../edge/http/health.ts';
import { consolePages } from '../edge/console/routes.ts';
import { documentationPages } from '../edge/openapi/pages.ts';
import type { Route } from '../tenants/api/route.ts';
import { buildServer } from '../edge/http/server.ts';
import { identityRoutes } from '../core/identity/routes.ts';
import { invoicePages } from '../edge/invoices/pages.ts';
import { invoiceRoutes } from '../edge/invoices/routes.ts';
import { overdueSweep } from '../edge/invoices/sweeps.ts';
import { sealSweep } from '../money/ledger/seal.ts';
import { daysSweep, foldSweep } from '../money/ledger/sweeps.ts';
import { mailForgetSweep, mailSweep } from '../edge/mail/sweeps.ts';
import { forgetPeopleSweep, userMailSweep } from '../edge/mail/people-sweeps.ts';
import { purgeSweeps } from '../edge/purge/sweeps.ts';
import { STORE_ENTRIES } from '../core/payments/sealed-store.ts';
import { paymentRoutes } from '../core/payments/routes.ts';
import { chargeRoutes } from '../core/charge/routes.ts';
import { expirySweep, pollSweep, trancheSweep } from '../core/charge/sweeps.ts';
import { linkPages } from '../edge/links/pages.ts';
import { linkRoutes } from '../edge/links/routes.ts';
import { linkSweep } from '../edge/links/sweeps.ts';
import { refundRoutes } from '../core/refunds/routes.ts';
import { refundSweep } from '../core/refunds/sweeps.ts';
import { referenceRoutes } from '../providers/reference/routes.ts';
import { returnSweep } from '../core/returns/sweeps.ts';
import { retentionSweep } from '../core/payments/sweeps.ts';
import { transferRoutes } from '../core/transfers/routes.ts';
import { transferSweep } from '../core/transfers/sweeps.ts';
import { searchSweep } from '../platform/search/sweep.ts';
import { tracedSend } from '../platform/telemetry/watch.ts';
import { SEARCHABLES } from './searchables.ts';
import type { Demo } from '../edge/start-page/deps.ts';
import { startPages } from '../edge/start-page/pages.ts';
import { startDeliveries } from '../money/webhooks/deliver.ts';
import { webhookRoutes } from '../money/webhooks/routes.ts';
import { backlogSweep } from '../money/webhooks/sweeps.ts';
import { type Sweep, startSweep } from '../platform/work/sweep.ts';
import type { Worker } from '../platform/work/worker.ts';

/** Returns every operation of the API, in the order of the documentation. */
export function allRoutes(deps: Deps): Route[] {
  return [
    ...paymentRoutes(deps),
    ...chargeRoutes(deps),
    ...refundRoutes(deps),
    ...disputeRoutes(deps),
    ...transferRoutes(deps),
    ...beneficiaryRoutes(deps),
    ...customerRoutes(deps),
    ...erasureRoutes(deps),
    ...paymentMethodRoutes(deps),
    ...linkRoutes(deps),
    ...identityRoutes(),
    ...accountRoutes(deps),
    ...invoiceRoutes(deps),
    ...balanceRoutes(deps),
    ...webhookRoutes(deps),
    ...eventRoutes(deps),
    ...referenceRoutes((environment, team_id, channelId) => deps.router.standingOf(environment, team_id, channelId)),
  ];
}

/**
 * Builds the HTTP server with all routes and pages.
 * @param workers workers running in this process, for readiness
 * @param demo the demo team, for the start page and for calls that `/docs` tries; null in production
 */
export function buildApi(deps: Deps, workers: readonly Worker[], demo: Demo | null = null): FastifyInstance {
  const routes = allRoutes(deps);
  return buildServer(deps, routes, [
    healthPages(deps, workers),
    startPages(deps, { console: consoleLink(deps), demo }),
    checkoutPages(deps),
    onboardingPages(deps),
    invoicePages(deps),
    linkPages(deps),
    callbackPages(deps),
    consolePages(deps, routes),
    documentationPages(routes, deps.config.public_url, demo?.sandbox.public),
  ]);
}

/** Returns the link from the start page to the console: on this host, or on the console's own host. */
function consoleLink({ config }: Pick<Deps, 'config'>): string | null {
  const { console } = config;
  return console && `${console.host === null ? '' : console.url}/console/`;
}

/** Starts all background work: of both environments, and of control. */
export function startWorkers(deps: Deps): Worker[] {
  const { sandbox, live } = deps.stores;
  return [...startStoreWorkers(deps, sandbox), ...startStoreWorkers(deps, live), ...startControlWorkers(deps)];
}

/** Starts the background work of one environment. */
export function startStoreWorkers(deps: Deps, store: Store): Worker[] {
  const sweeps = sweepsOf(deps, store).map((sweep) => startSweep(sweep, deps));
  const { environment } = store;
  const putBack = (cause: 'database' | 'program') => deps.meters?.deliveryPutBack(environment, cause);
  return [...sweeps, startDeliveries(deps, store, { send: deliverySender(deps, store), putBack })];
}

/** Starts the background work of control. */
export function startControlWorkers(deps: Deps): Worker[] {
  return controlSweeps(deps).map((sweep) => startSweep(sweep, deps));
}

function deliverySender({ config, tracer, meters }: Deps, { environment }: Store) {
  const sender = scaledTimeouts(config, tracer ? tracedSend(tracer, send, 'webhook delivery') : send);
  return meters ? meters.deliveries(sender, environment) : sender;
}

/** Returns the sweeps of one environment. */
export function sweepsOf(deps: Deps, store: Store): Sweep[] {
  return [
    deps.shards[store.environment].sweep(store),
    expirySweep(deps, store),
    pollSweep(deps, store),
    trancheSweep(deps, store),
    retentionSweep(deps, store),
    refundSweep(deps, store),
    returnSweep(deps, store),
    transferSweep(deps, store),
    erasureSweep(deps, store),
    payerSweep(deps, store),
    methodSweep(deps, store),
    ...(store.environment === 'live' ? [overdueSweep(deps, store)] : []),
    ...(store.environment === 'live' ? [linkSweep(deps, store)] : []),
    ...(store.environment === 'live' ? [usualSweep(deps, store), abuseCleanupSweep(deps, store)] : []),
    floatSweep(deps, store),
    foldSweep(store),
    daysSweep(deps, store),
    sealSweep(store),
    auditSealSweep(store, STORE_ENTRIES),
    mailSweep(deps, store),
    mailForgetSweep(store),
    backlogSweep(deps, store),
    searchSweep(store, SEARCHABLES),
    figuresSweep(deps, store),
    batchSweep(deps, store),
    ...purgeSweeps(deps, store),
  ];
}

/** Returns the sweeps of the control database, which contains people and belongs to no environment. */
export function controlSweeps(deps: Deps): Sweep[] {
  return [userMailSweep(deps), forgetPeopleSweep(deps), controlSealSweep(deps.stores.control)];
}
