import { presentDispute } from '../../../core/disputes/present.ts';
import { endUncoveredRefunds } from '../../../core/refunds/waiting.ts';
import { refundsUnderWay } from '../../../core/refunds/store.ts';
import { changeDispute, openDispute, openOrLostDispute } from '../../../core/disputes/service.ts';
import { commandClock } from '../command-clock.ts';
import { Failure } from '../failure.ts';
import { operator } from '../operator.ts';
import { inStore, readAmount } from '../in-store.ts';

const deps = { clock: commandClock, refundsUnderWay, endUncoveredRefunds };

/** Notifications that only a provider can send. The API has no operation for them, so they are written to the store. */
export const NOTICES = ['dispute.created', 'dispute.won', 'dispute.lost'] as const;

export type Notice = (typeof NOTICES)[number];

interface NoticeOptions {
  payment: string;
  amount?: string;
  team?: bigint;
}

/**
 * Opens or decides a dispute of a payment, as a provider's notification would.
 * @returns the dispute, as the API returns it
 */
export function notify(notice: Notice, options: NoticeOptions): Promise<ReturnType<typeof presentDispute>> {
  return inStore('sandbox', options, async (store, team_id) => {
    const { payment } = options;
    if (notice === 'dispute.created') {
      const amount = options.amount === undefined ? {} : { amount_minor: readAmount(options.amount) };
      const opening = { team_id, payment_id: payment, reason: 'fraudulent', ...amount };
      return presentDispute('sandbox', await openDispute(deps, store, opening, operator()));
    }
    const id = await openOrLostDispute(store.db, team_id, payment);
    if (!id) throw new Failure(`${payment} has no open dispute`, 'Open one with "pirogue trigger dispute.created".');
    const trigger = notice === 'dispute.won' ? 'provider_decided_won' : 'provider_decided_lost';
    return presentDispute('sandbox', await changeDispute(deps, store, { team_id, id }, trigger, {}, operator()));
  });
}
