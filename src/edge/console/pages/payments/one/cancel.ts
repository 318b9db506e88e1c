import { Problem } from '../../../../../kit/errors.ts';
import { findPayment } from '../../../../../core/payments/store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { doneOnce, isRecorded } from '../../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { shownFault } from '../../../parts/fault.ts';
import { showPayment } from './page.ts';

/** Cancels a pending payment. A payment that is no longer pending is shown with the reason. */
export async function cancel(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const id = visit.params.id ?? '';
  try {
    await doneOnce(
      () => visit.api('DELETE /payments/:id', { params: { id } }),
      async () => (await isCancelled(visit, id)) || isRecorded(visit, 'payment.cancel', id),
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    return showPayment(deps, visit, shownFault(visit.language, error));
  }
  return redirect(`${visit.base}/payments/${id}?done=cancel`);
}

/** Returns whether the payment is cancelled, also by its payer. */
async function isCancelled({ store, team }: TeamVisit, id: string): Promise<boolean> {
  return (await findPayment(store.db, team.id, id))?.status === 'cancelled';
}
