import { Problem } from '../../../../../kit/errors.ts';
import { testEndings } from '../../../../../providers/adapters/sandbox/codes.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { refuseLive, showSandbox } from './show.ts';
import { SANDBOX_TEXTS } from './texts.ts';

/** Channel of test payments, in XAF. Its numbers in Cameroon begin with 650. */
const CHANNEL = 'cm.mtn';
const AMOUNT = 5_000;

/** Creates a payment and charges it to a test number, as a shop does, which records its events. */
export async function makePayment(visit: TeamVisit): Promise<Answer> {
  refuseLive(visit);
  const digits = fieldOf(visit, 'ending');
  const ending = testEndings().find((one) => one.digits === digits);
  if (!ending) return showSandbox(visit, { ending: SANDBOX_TEXTS[visit.language].wrongEnding });
  const phone = `650${ending.digits}`;
  const { body } = await visit.api('POST /payments', {
    body: { amount: AMOUNT, currency: 'XAF', phone: `+237${phone}`, description: 'Test payment' },
    idempotency_key: visit.formKey,
  });
  const { id } = (body as { transaction: { id: string } }).transaction;
  await charge(visit, id, phone);
  return redirect(`${visit.base}/payments/${id}`);
}

/** Charges the payment. A decline, and a repeated submit, are not errors: both lead to the page of the payment. */
async function charge(visit: TeamVisit, id: string, phone: string): Promise<void> {
  try {
    await visit.api('POST /payments/:id', {
      params: { id },
      body: { channel: CHANNEL, data: { phone } },
      idempotency_key: `${visit.formKey}-charge`,
    });
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 402 && error.status !== 400)) throw error;
  }
}
