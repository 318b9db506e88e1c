import type { FastifyInstance } from 'fastify';
import { abuseForgetSweep, usualSweep } from './abuse/sweeps.ts';
import { accountRoutes } from './accounts/routes.ts';
import { auditSealSweep } from './audit/chains.ts';
import { balanceRoutes } from './balance/routes.ts';
import { beneficiaryRoutes } from './beneficiaries/routes.ts';
import { onboardingPages } from './checkout/onboarding.ts';
import { callbackPages } from './callbacks/pages.ts';
import { checkoutPages } from './checkout/routes.ts';
import { paymentMethodRoutes } from './customers/method-routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { erasureSweep, methodSweep, payerSweep } from './customers/sweeps.ts';
import type { Store } from './db/stores.ts';
import { send } from './kit/fetch.ts';
import { type Deps, keepingPace } from './deps.ts';
import { disputeRoutes } from './disputes/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { floatSweep } from './float/sweeps.ts';
import { healthPages } from './http/health.ts';
import { documentationPages } from './http/openapi/pages.ts';
import type { Route } from './http/route.ts';
import { buildServer } from './http/server.ts';
import { identityRoutes } from './identity/routes.ts';
import { invoicePages } from './invoices/pages.ts';
import { invoiceRoutes } from './invoices/routes.ts';
import { overdueSweep } from './invoices/sweeps.ts';
import { sealSweep } from './ledger/seal.ts';
import { foldSweep } from './ledger/sweeps.ts';
import { mailForgetSweep, mailSweep } from './mail/sweeps.ts';
import { purgeSweeps } from './purge/sweeps.ts';
import { paymentRoutes } from './payments/routes.ts';
import { expirySweep, pollSweep, trancheSweep } from './payments/sweeps.ts';
import { linkPages } from './links/pages.ts';
import { linkRoutes } from './links/routes.ts';
import { linkSweep } from './links/sweeps.ts';
import { refundRoutes } from './refunds/routes.ts';
import { refundSweep } from './refunds/sweeps.ts';
import { referenceRoutes } from './reference/routes.ts';
import { returnSweep } from './returns/sweeps.ts';
import { releaseSweep } from './settlement/sweeps.ts';
import { transferRoutes } from './transfers/routes.ts';
import { transferSweep } from './transfers/sweeps.ts';
import { tracedSend } from './telemetry/watch.ts';
import { startDeliveries } from './webhooks/deliver.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { backlogSweep } from './webhooks/sweeps.ts';
import { type Sweep, startSweep } from './work/sweep.ts';
import type { Worker } from './work/worker.ts';

/** Returns every operation of the API, in the order of the documentation. */
export function allRoutes(deps: Deps): Route[] {
  return [
    ...paymentRoutes(deps),
    ...refundRoutes(deps),
    ...disputeRoutes(deps),
    ...transferRoutes(deps),
    ...beneficiaryRoutes(deps),
    ...customerRoutes(deps),
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
 * @param workers those running in this process, for readiness
 */
export function buildApi(deps: Deps, workers: readonly Worker[]): FastifyInstance {
  const routes = allRoutes(deps);
  return buildServer(deps, routes, [
    healthPages(deps, workers),
    checkoutPages(deps),
    onboardingPages(deps),
    invoicePages(deps),
    linkPages(deps),
    callbackPages(deps),
    documentationPages(routes, deps.config.public_url),
  ]);
}

/** Starts all background work of both environments. */
export function startWorkers(deps: Deps): Worker[] {
  return [deps.stores.sandbox, deps.stores.live].flatMap((store) => [
    ...sweepsOf(deps, store).map((sweep) => startSweep(sweep, deps)),
    startDeliveries(deps, store, { send: deliverySender(deps, store) }),
  ]);
}

function deliverySender({ config, tracer, meters }: Deps, { environment }: Store) {
  const sender = keepingPace(config, tracer ? tracedSend(tracer, send, 'webhook delivery') : send);
  return meters ? meters.deliveries(sender, environment) : sender;
}

/** Returns the sweeps of one environment. */
export function sweepsOf(deps: Deps, store: Store): Sweep[] {
  return [
    expirySweep(deps, store),
    pollSweep(deps, store),
    trancheSweep(deps, store),
    releaseSweep(deps, store),
    refundSweep(deps, store),
    returnSweep(deps, store),
    transferSweep(deps, store),
    erasureSweep(deps, store),
    payerSweep(deps, store),
    methodSweep(deps, store),
    ...(store.environment === 'live' ? [overdueSweep(deps, store)] : []),
    ...(store.environment === 'live' ? [linkSweep(deps, store)] : []),
    ...(store.environment === 'live' ? [usualSweep(deps, store), abuseForgetSweep(deps, store)] : []),
    floatSweep(deps, store),
    foldSweep(store),
    sealSweep(store),
    auditSealSweep(store),
    mailSweep(deps, store),
    mailForgetSweep(store),
    backlogSweep(deps, store),
    ...purgeSweeps(deps, store),
  ];
}
