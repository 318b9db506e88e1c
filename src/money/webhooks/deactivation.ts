import type { Environment } from '../../kit/environment.ts';
import type { Deactivated } from './deliveries-store.ts';
import type { WebhookDeps } from './deps.ts';

/** Reports endpoints that were deactivated because no delivery succeeded for days. */
export function announceDeactivation(
  { log, config }: Pick<WebhookDeps, 'log' | 'config'>,
  environment: Environment,
  endpoints: readonly Deactivated[],
): void {
  for (const { team_id, id } of endpoints) {
    log.warn(
      { environment, team: String(team_id), webhook: id },
      `a webhook endpoint was deactivated: no delivery succeeded for ${config.webhook_disable_after_days} days`,
    );
  }
}
