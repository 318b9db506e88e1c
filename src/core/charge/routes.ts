import { envelopeSchema } from '../../kit/envelope.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { callerOf } from '../../tenants/audit/actor.ts';
import type { Store } from '../../platform/db/stores.ts';
import { isOpen } from '../attempts/schema.ts';
import { findAttempt } from '../attempts/store.ts';
import { findCustomer } from '../customers/store.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import { retrieved } from '../payments/present.ts';
import { paymentReply } from '../payments/reply.ts';
import { action, type ChargeBody, chargeBody, type PaymentRow, retrievedPayment } from '../payments/schema.ts';
import { getPayment } from '../payments/service.ts';
import { charge, type Charged, continueCharge } from './charge.ts';
import { readCode } from './code.ts';
import { checkCharge, fitCharge, readInstrument, refuseCountry } from './instrument.ts';
import { chargeOnce, type Recall } from './once.ts';
import { readWithKey } from './read.ts';
import { declined, isChargeable, reasonOf, wrongState } from './refusals.ts';
import type { ChargeHooks } from './start.ts';

/** Maximum time for a further step: by then its sender has the provider's response or has died. */
const STEP_MS = 60_000;

/** The route that charges a payment. */
export function chargeRoutes(deps: PaymentDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/payments/:id',
      summary: 'Charge a payment',
      description:
        'Collects without the hosted page, by a channel and the number or account on it. `action` in the response is ' +
        'what the payer has to do next. Card details are entered on the hosted page only.',
      operation_id: 'chargePayment',
      idempotent: true,
      problems: [
        'payment_not_found',
        'payment_not_chargeable',
        'link_full',
        'link_used',
        'payment_declined',
        'merchant_not_verified',
        'ceiling_exceeded',
        'channel_not_supported',
        'provider_unavailable',
      ],
      access: 'public',
      pays: true,
      scope: 'payment.write',
      body: chargeBody,
      check: checkCharge,
      payer_data: true,
      replies: { 202: envelopeSchema({ action, transaction: retrievedPayment }) },
      handle: (call) => submit(deps, call),
    }),
  ];
}

async function submit(deps: PaymentDeps, call: Call<ChargeBody>): Promise<Reply> {
  const { team, store } = call.caller;
  const instrument = readInstrument(store.environment, call.body);
  const wanted = { team_id: team.id, id: call.params.id as string, key: call.idempotency_key };
  const { payment, used } = await readWithKey(deps, store, wanted);
  const ref = { team_id: team.id, id: payment.id };
  const by = callerOf(call);
  const work = async (hooks?: ChargeHooks) => {
    const waiting = await awaitingCode(call, payment.id);
    if (waiting) {
      return charged(call, await continueCharge(deps, store, payment, waiting, readCode(call.body.data?.otp), by, hooks));
    }
    refuseCountry(instrument, call.body.data?.country);
    if (!isChargeable(payment)) throw wrongState(payment);
    const prompted_by = call.caller.kind === 'public' ? 'public' : 'private';
    const fitted = fitCharge(deps.config, payment, instrument, { client_ip: call.body.client_ip ?? null, by, prompted_by });
    return charged(call, await charge(deps, store, ref, fitted, hooks));
  };
  return chargeOnce(deps.batches, call as Call, used, work, (...kept) => recall(call, ...kept));
}

/** Returns the attempt that waits for the one-time code in this request, or undefined. */
async function awaitingCode(call: Call<ChargeBody>, payment_id: string) {
  if (!call.body.data?.otp) return undefined;
  const { team, store } = call.caller;
  const { attempts } = await getPayment(store, team.id, payment_id);
  const open = attempts.find((attempt) => attempt.status === 'open');
  const attempt = open && (await findAttempt(store.db, team.id, open.id));
  return attempt?.action?.kind === 'otp' ? attempt : undefined;
}

/** Reconstructs the response of a charge or a further step whose process died before storing it. */
async function recall(call: Call<ChargeBody>, attempt_id: string, since: Date): ReturnType<Recall> {
  const { team, store } = call.caller;
  const attempt = await findAttempt(store.db, team.id, attempt_id);
  if (!attempt || attempt.status === 'created') return 'under_way';
  if (attempt.status === 'unavailable') return 'untaken';
  // The code is still awaited: it did not arrive, or is on its way. Sent again, it continues the same attempt.
  if (call.body.data?.otp && attempt.status === 'open' && attempt.action?.kind === 'otp') {
    return call.at - since.getTime() < STEP_MS ? 'under_way' : 'abandoned';
  }
  // The attempt ended before the payer was given an action, or after the payer's code: the request is answered as declined.
  const unpaid = !isOpen(attempt) && attempt.status !== 'succeeded';
  const payment = await getPayment(store, team.id, attempt.payment_id);
  if (unpaid && (attempt.action === null || call.body.data?.otp)) {
    // A success may have been stored before it failed: the key stays consumed.
    if (await isErased(store, payment)) return 'erased';
    throw declined(reasonOf(attempt), attempt.message ?? 'declined');
  }
  const transaction = retrieved(store.environment, payment, payment.attempts);
  return paymentReply(call, 202, 'Payment is processing', { action: attempt.action, transaction });
}

/** Returns whether the payer was erased, with the stored responses about the payment. */
async function isErased({ db }: Store, { team_id, customer_id }: PaymentRow): Promise<boolean> {
  const customer = customer_id !== null && (await findCustomer(db, { team_id, id: customer_id }));
  return customer ? customer.archived_at !== null : false;
}

function charged(call: Call<ChargeBody>, { payment, attempts, action: next }: Charged): Reply {
  const transaction = retrieved(call.caller.store.environment, payment, attempts);
  return paymentReply(call, 202, 'Payment is processing', { action: next, transaction });
}
