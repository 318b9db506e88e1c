import type { FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/routes.ts';
import { balanceRoutes } from './balance/routes.ts';
import { beneficiaryRoutes } from './beneficiaries/routes.ts';
import { onboardingPages } from './checkout/onboarding.ts';
import { checkoutPages } from './checkout/routes.ts';
import type { Store } from './db/stores.ts';
import type { Deps } from './deps.ts';
import { disputeRoutes } from './disputes/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { healthPages } from './http/health.ts';
import type { Route } from './http/route.ts';
import { buildServer } from './http/server.ts';
import { sealSweep } from './ledger/seal.ts';
import { foldSweep } from './ledger/sweeps.ts';
import { paymentRoutes } from './payments/routes.ts';
import { expirySweep, pollSweep, trancheSweep } from './payments/sweeps.ts';
import { refundRoutes } from './refunds/routes.ts';
import { givebackSweep, refundSweep } from './refunds/sweeps.ts';
import { referenceRoutes } from './reference/routes.ts';
import { releaseSweep } from './settlement/sweeps.ts';
import { transferRoutes } from './transfers/routes.ts';
import { transferSweep } from './transfers/sweeps.ts';
import { startDeliveries } from './webhooks/deliver.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { type Sweep, startSweep } from './work/sweep.ts';
import type { Worker } from './work/worker.ts';

/** Every operation of the API, in the order the documentation shows them. */
export function allRoutes(deps: Deps): Route[] {
  return [
    ...paymentRoutes(deps),
    ...refundRoutes(deps),
    ...disputeRoutes(deps),
    ...transferRoutes(deps),
    ...beneficiaryRoutes(deps),
    ...accountRoutes(deps),
    ...balanceRoutes(deps),
    ...webhookRoutes(deps),
    ...eventRoutes(deps),
    ...referenceRoutes(),
  ];
}

/** @param workers those running in this process, for readiness */
export function buildApi(deps: Deps, workers: readonly Worker[]): FastifyInstance {
  return buildServer(deps, allRoutes(deps), [healthPages(deps, workers), checkoutPages(deps), onboardingPages(deps)]);
}

/** Everything that goes on in the background, for both stores. */
export function startWorkers(deps: Deps): Worker[] {
  return [deps.stores.sandbox, deps.stores.live].flatMap((store) => [
    ...sweepsOf(deps, store).map((sweep) => startSweep(sweep, deps)),
    startDeliveries(deps, store),
  ]);
}

function sweepsOf(deps: Deps, store: Store): Sweep[] {
  return [
    expirySweep(deps, store),
    pollSweep(deps, store),
    trancheSweep(deps, store),
    releaseSweep(deps, store),
    refundSweep(deps, store),
    givebackSweep(deps, store),
    transferSweep(deps, store),
    foldSweep(store),
    sealSweep(store),
  ];
}
