import type { Environment } from '../../kit/environment.ts';
import type { Deactivated } from './deliveries-store.ts';
import type { WebhookDeps } from './deps.ts';

/** Reports endpoints that were deactivated because no delivery succeeded for days. */
export function announceDeactivation(
  deps: Pick<WebhookDeps, 'log'>,
  environment: Environment,
  endpoints: readonly Deactivated[],
): void {
  for (const { team_id, id } of endpoints) {
    deps.log.warn(
      { environment, team: String(team_id), webhook: id },
      'a webhook endpoint was deactivated: no delivery succeeded for 5 days',
    );
  }
}
