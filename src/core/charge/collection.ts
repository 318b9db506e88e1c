import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import { callbackUrl } from '../../providers/provider-accounts/callback-address.ts';
import type { Collection } from '../../providers/adapters/contract.ts';
import { channelById } from '../../providers/reference/channels.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { type AttemptRow, isOpen, lastSentAt } from '../attempts/schema.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { hostedPageUrl } from '../payments/token.ts';

/** Returns an attempt in the form that provider adapters receive. */
export function collectionOf(
  deps: Pick<PaymentDeps, 'config' | 'secrets'>,
  store: Store,
  payment: PaymentRow,
  attempt: AttemptRow,
): Collection {
  const channel = must(channelById(attempt.channel), 'the channel was checked when the attempt was made');
  return {
    attempt_id: attempt.id,
    provider_key: attempt.provider_key,
    provider_ref: attempt.provider_ref,
    handle: attempt.handle,
    amount_minor: attempt.amount_minor,
    currency: attempt.currency,
    channel: { id: channel.id, kind: channel.kind, country: channel.country },
    payer: attempt.payer,
    description: payment.description ?? payment.reference ?? payment.id,
    return_url: `${hostedPageUrl(deps, store, payment.team_id, payment.id)}/card`,
    callback_url: callbackUrl(deps, attempt.provider_account, attempt.id),
    submitted_at: lastSentAt(attempt)?.getTime() ?? null,
    expires_at: payment.expires_at.getTime(),
    awaits_code: isOpen(attempt) && attempt.action?.kind === 'otp',
  };
}
