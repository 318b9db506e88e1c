import { createHmac } from 'node:crypto';
import type { Compose } from '../kit/callbacks.ts';
import type { Kit } from '../kit/simulator.ts';
import type { Sessions } from './collect.ts';

export const WEBHOOK_SECRET = 'twin-of-wave-webhook-secret';

/**
 * Returns the composer of webhooks, which report sessions whose payment succeeded or failed. Expired sessions and
 * payouts are not reported.
 */
export function composer({ settings, options }: Kit, sessions: Sessions): Compose {
  return (entry, { stage, amount_minor, forged }) => {
    const url = settings.get('callback_url');
    const session = entry.kind === 'collect' ? sessions.sessionOf(entry) : undefined;
    if (!url || !session) return null;
    const interim = stage === 'interim';
    if (!interim && entry.state === 'failed' && !entry.word) return null;
    // A failed payment leaves the session open for another attempt, so the webhook reports it as open.
    const open_after = interim ? 'insufficient-funds' : entry.state === 'failed' ? String(entry.word) : null;
    const data = sessions.presented(session, { amount_minor, ...(open_after === null ? {} : { open_after }) });
    const type = open_after === null ? 'checkout.session.completed' : 'checkout.session.payment_failed';
    const body = JSON.stringify({ id: `EV_${entry.ref}`, type, data });
    const secret = forged ? 'somebody-elses-secret' : WEBHOOK_SECRET;
    const t = Math.floor(options.now() / 1_000);
    const mac = createHmac('sha256', secret).update(`${t}${body}`).digest('hex');
    const proof =
      settings.get('webhook_strategy') === 'shared'
        ? { authorization: `Bearer ${secret}` }
        : { 'wave-signature': `t=${t},v1=${mac}` };
    return { method: 'POST', url, headers: { 'content-type': 'application/json', ...proof }, body };
  };
}
