import type { Environment } from '../kit/environment.ts';
import type { Provider } from '../providers/contract.ts';
import type { Registry } from '../providers/registry.ts';

/** The providers to try, in order, and why: the decision is stored beside the attempt. */
export interface RoutingDecision {
  candidates: Provider[];
  explanation: { rule: string; candidates: string[] };
}

/** Chooses who collects a charge. */
export function routeCollection(
  registry: Registry,
  environment: Environment,
  channelId: string,
  currency: string,
): RoutingDecision {
  const candidates = registry.collectorsOf(environment, channelId, currency);
  return { candidates, explanation: { rule: 'registration order', candidates: candidates.map((provider) => provider.name) } };
}
