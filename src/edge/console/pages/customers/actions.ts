import { doneOnce, isRecorded } from '../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { faultOf } from '../../parts/fault.ts';
import { switchOnce } from '../../switch-once.ts';
import { showCustomer } from './one.ts';
import { customerOf } from './read.ts';

/** Blocks a customer, or accepts its payments again. */
export async function setBlocked(visit: TeamVisit, blocked: boolean): Promise<Answer> {
  const { id = '' } = visit.params;
  const verb = blocked ? 'block' : 'unblock';
  try {
    const isSwitched = async () => (await customerOf(visit)).blocked === blocked;
    await switchOnce(visit, `POST /customers/:id/${verb}`, { params: { id } }, isSwitched);
  } catch (error) {
    return showCustomer(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/customers/${id}?done=${verb}`);
}

/** Deletes a saved payment method. */
export async function deleteMethod(visit: TeamVisit): Promise<Answer> {
  const { id = '', method = '' } = visit.params;
  await doneOnce(
    () => visit.api('DELETE /customers/:id/payment_methods/:method', { params: { id, method } }),
    () => isRecorded(visit, 'payment_method.delete', method),
  );
  return redirect(`${visit.base}/customers/${id}?done=remove`);
}
