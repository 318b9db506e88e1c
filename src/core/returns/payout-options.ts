import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import type { Provider } from '../../providers/adapters/contract.ts';
import { channelById } from '../../providers/reference/channels.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { ReturnRow } from '../obligations/schema.ts';
import type { ReturnDeps } from './deps.ts';
import { UNUSABLE } from './service.ts';

/** The provider accounts that can pay out to the payer of an attempt. */
export type PayoutOptions =
  | { kind: 'now'; candidates: Provider[] }
  /** Some accounts could, but not at the moment. */
  | { kind: 'later'; note: string }
  | { kind: 'never'; note: string };

/**
 * Returns which accounts can pay out a return. A payout of captured money is not a transfer of the merchant: the merchant's
 * transaction limits do not apply to it, only the capabilities of the accounts.
 * @param options `sends`: whether the payout is sent after this decision, so that it may be the probe of an open circuit
 */
export async function payoutOptionsOf(
  deps: ReturnDeps,
  { environment }: Store,
  row: ReturnRow,
  attempt: AttemptRow,
  { sends }: { sends: boolean },
): Promise<PayoutOptions> {
  if (attempt.payer === null) return { kind: 'never', note: 'where the money came from is not known to the service' };
  const channel = must(channelById(attempt.channel), 'the channel was checked when the attempt was made');
  if (channel.kind !== 'mobile_money') return { kind: 'never', note: `payers of ${channel.id} cannot be paid out to` };
  const { team_id, currency, amount_minor } = row;
  const collected = await deps.providers.byAccount(environment, team_id, attempt.provider_account);
  if (!collected) return { kind: 'later', note: UNUSABLE };
  if (collected.provesPayer?.(channel.id) === false)
    return { kind: 'never', note: 'which wallet paid is known to the provider only' };
  const request = { environment, team_id, operation: 'payout' as const, channel, currency, amount_minor, sends };
  const { candidates, waits } = await deps.router.choose(request);
  if (candidates.length > 0) return { kind: 'now', candidates };
  if (waits) return { kind: 'later', note: 'the accounts that could pay it out do not respond, or their operator is closed' };
  if (await deps.providers.anyUnusable?.(environment, team_id)) return { kind: 'later', note: UNUSABLE };
  return { kind: 'never', note: `no account pays out on ${channel.id} in ${currency}` };
}
