import { Type } from 'typebox';
import { callerOf } from '../../tenants/audit/actor.ts';
import { getCustomer } from '../customers/service.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { listMeta } from '../../kit/paging.ts';
import { findAttempt } from '../attempts/store.ts';
import { charge, type Charged, continueCharge } from '../charge/charge.ts';
import { chargeOnce, type Recall } from '../charge/once.ts';
import { declined, isChargeable, reasonOf, wrongState } from '../charge/refusals.ts';
import { hostedPageUrl } from '../charge/collection.ts';
import { checkCreate } from './create.ts';
import type { PaymentDeps } from './deps.ts';
import { fitCharge, readInstrument } from '../charge/instrument.ts';
import { paymentLister } from './list.ts';
import { created, publicOf, retrieved } from './present.ts';
import {
  action,
  type ChargeBody,
  chargeBody,
  type CreatePaymentBody,
  createdPayment,
  createPaymentBody,
  isOpen,
  listedPayment,
  listPaymentsQuery,
  retrievedPayment,
} from './schema.ts';
import { cancelPayment, getPayment, getPaymentRow } from './service.ts';
import { makeToken } from './token.ts';

/** Maximum time for a further step: by then its sender has the provider's response or has died. */
const STEP_MS = 60_000;

const one = envelopeSchema({ transaction: retrievedPayment });

/** The routes of payments: list, create, retrieve, cancel, charge. */
export function paymentRoutes(deps: PaymentDeps): Route[] {
  const list = paymentLister(deps);
  return [
    route({
      method: 'GET',
      path: '/payments',
      summary: 'List payments',
      description:
        'Newest first. A public key sees the fields shown here too, but its `search` looks in `id` and `reference` only.',
      access: 'public',
      scope: 'payment.read',
      query: listPaymentsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(listedPayment), meta: listMeta }) },
      handle: (call) => list(call),
    }),
    route({
      method: 'GET',
      path: '/customers/:id/payments',
      summary: 'List payments of a customer',
      description: 'Newest first, with the filters of GET /payments.',
      operation_id: 'listCustomerPayments',
      problems: ['customer_not_found'],
      access: 'private',
      scope: 'payment.read',
      query: listPaymentsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(listedPayment), meta: listMeta }) },
      handle: async (call) => {
        const { team, store } = call.caller;
        const { id } = await getCustomer(store.db, store.environment, { team_id: team.id, id: call.params.id as string });
        return list(call, { customer_id: id });
      },
    }),
    route({
      method: 'POST',
      path: '/payments',
      summary: 'Create a payment',
      description:
        'Makes a pending payment. Redirect the payer to `authorization_url`; the outcome comes by webhook, or by asking ' +
        'for the payment. At least one of `email`, `phone`, `customer_id` and `customer` is required. Its customer is found by ' +
        '`customer_id`, else by e-mail address, then by phone number; where there is none yet, it is made.',
      idempotent: true,
      sync: true,
      problems: [
        'merchant_not_verified',
        'ceiling_exceeded',
        'customer_not_found',
        'customer_blocked',
        'account_not_found',
        'account_inactive',
        'reference_taken',
      ],
      access: 'public',
      scope: 'payment.write',
      body: createPaymentBody,
      check: checkCreate,
      replies: {
        201: envelopeSchema({
          authorization_url: Type.String(),
          authorization_token: Type.String(),
          transaction: createdPayment,
        }),
      },
      handle: (call) => create(deps, call),
    }),
    route({
      method: 'GET',
      path: '/payments/:id',
      summary: 'Retrieve a payment',
      description:
        'By our id only, never by your reference. A public key gets the fields of a listed payment with `settled`, ' +
        '`reason` and `metadata`.',
      problems: ['payment_not_found'],
      access: 'public',
      scope: 'payment.read',
      replies: { 200: one },
      handle: (call) => retrieve(call),
    }),
    route({
      method: 'DELETE',
      path: '/payments/:id',
      summary: 'Cancel a pending payment',
      description: 'Only while nobody has begun to pay. A payment that has succeeded is refunded instead.',
      operation_id: 'cancelPayment',
      problems: ['payment_not_found', 'payment_not_cancellable'],
      access: 'public',
      scope: 'payment.write',
      replies: { 200: one },
      handle: async (call) => {
        const { team, store } = call.caller;
        const ref = { team_id: team.id, id: call.params.id as string };
        const { payment, attempts } = await cancelPayment(deps, store, ref, callerOf(call));
        return reply(call, 200, 'Payment cancelled', { transaction: retrieved(store.environment, payment, attempts) });
      },
    }),
    route({
      method: 'POST',
      path: '/payments/:id',
      summary: 'Charge a payment',
      description:
        'Collects without the hosted page: names a channel and the number or account on it. `action` in the answer says ' +
        'what the payer has to do now. Card details are entered on the hosted page only.',
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
      scope: 'payment.write',
      body: chargeBody,
      payer_data: true,
      replies: { 202: envelopeSchema({ action, transaction: retrievedPayment }) },
      handle: (call) => submit(deps, call),
    }),
  ];
}

async function create(deps: PaymentDeps, call: Call<CreatePaymentBody>): Promise<Reply> {
  const { team, store } = call.caller;
  const { payment, replayed } = await deps.creators[store.environment].create(call);
  return {
    code: 201,
    message: 'Payment initialised',
    body: {
      authorization_url: hostedPageUrl(deps, store, team.id, payment.id),
      authorization_token: makeToken(deps.secrets, { environment: store.environment, team_id: team.id, payment_id: payment.id }),
      transaction: created(store.environment, payment),
    },
    ...(replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  };
}

async function retrieve(call: Call): Promise<Reply> {
  const { team, store } = call.caller;
  const payment = await getPayment(store, team.id, call.params.id as string);
  return reply(call, 200, 'Payment retrieved', { transaction: retrieved(store.environment, payment, payment.attempts) });
}

async function submit(deps: PaymentDeps, call: Call<ChargeBody>): Promise<Reply> {
  const { team, store } = call.caller;
  const instrument = readInstrument(store.environment, call.body);
  const payment = await getPaymentRow(store, team.id, call.params.id as string);
  const ref = { team_id: team.id, id: payment.id };
  const by = callerOf(call);
  const work = async (journal?: Parameters<typeof charge>[4]) => {
    const waiting = await awaitingCode(call, payment.id);
    if (waiting) {
      return charged(
        call,
        await continueCharge(deps, store, payment, waiting, { kind: 'otp', otp: call.body.data?.otp as string }, by, journal),
      );
    }
    if (!isChargeable(payment)) throw wrongState(payment);
    const prompted_by = call.caller.kind === 'public' ? 'public' : 'private';
    const wanted = fitCharge(deps.config, payment, instrument, { client_ip: call.body.client_ip ?? null, by, prompted_by });
    return charged(call, await charge(deps, store, ref, wanted, journal));
  };
  return chargeOnce(call as Call, work, (...kept) => recall(call, ...kept));
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
  if (attempt.status === 'unavailable') return 'left';
  // The code is still awaited: it did not arrive, or is on its way. Sent again, it continues the same attempt.
  if (call.body.data?.otp && attempt.status === 'open' && attempt.action?.kind === 'otp') {
    return call.at - since.getTime() < STEP_MS ? 'under_way' : 'left';
  }
  // The attempt ended before the payer was given an action: the request is answered as declined.
  const unpaid = !isOpen(attempt) && attempt.status !== 'succeeded';
  if (unpaid && attempt.action === null) throw declined(reasonOf(attempt), attempt.message ?? 'declined');
  const payment = await getPayment(store, team.id, attempt.payment_id);
  const transaction = retrieved(store.environment, payment, payment.attempts);
  return reply(call, 202, 'Payment is processing', { action: attempt.action, transaction });
}

function charged(call: Call<ChargeBody>, { payment, attempts, action: next }: Charged): Reply {
  const transaction = retrieved(call.caller.store.environment, payment, attempts);
  return reply(call, 202, 'Payment is processing', { action: next, transaction });
}

/** Builds a response. A public key may be published in page source: it gets only the basic fields (docs/contract/envelope.md). */
function reply(call: Call<unknown, unknown>, code: number, message: string, body: Record<string, unknown>): Reply {
  if (call.caller.kind !== 'public') return { code, message, body };
  return { code, message, body: { ...body, transaction: publicOf(body.transaction as ReturnType<typeof retrieved>) } };
}
