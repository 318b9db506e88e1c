import { Type } from 'typebox';
import { callerOf } from '../../tenants/audit/actor.ts';
import { getCustomer } from '../customers/service.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { listMeta } from '../../kit/paging.ts';
import { checkCreate, warnCreate } from './create.ts';
import type { PaymentDeps } from './deps.ts';
import { paymentLister } from './list.ts';
import { created, retrieved } from './present.ts';
import { paymentReply } from './reply.ts';
import {
  type CreatePaymentBody,
  createdPayment,
  createPaymentBody,
  listedPayment,
  listPaymentsQuery,
  retrievedPayment,
} from './schema.ts';
import { cancelPayment } from './service.ts';
import { makeToken, pageUrlOf } from './token.ts';

const one = envelopeSchema({ transaction: retrievedPayment });

/** The routes of payments: list, create, retrieve, cancel. Charging is in src/core/charge/routes.ts. */
export function paymentRoutes(deps: PaymentDeps): Route[] {
  const list = paymentLister(deps);
  return [
    route({
      method: 'GET',
      path: '/payments',
      summary: 'List payments',
      description: 'Newest first. A public key sees the same fields, but its `search` covers `id` and `reference` only.',
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
        'Creates a pending payment. Redirect the payer to `authorization_url`; the outcome is reported by webhook and by ' +
        'GET /payments/{id}. At least one of `email`, `phone`, `customer_id` and `customer` is required. Its customer is found by ' +
        '`customer_id`, else by e-mail address, then by phone number, and created without a match.',
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
      pays: true,
      scope: 'payment.write',
      body: createPaymentBody,
      check: checkCreate,
      warn: warnCreate,
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
        'By id, not by your reference. A public key sees the fields of a listed payment with `settled`, ' +
        '`reason` and `metadata`.',
      problems: ['payment_not_found'],
      access: 'public',
      pays: true,
      scope: 'payment.read',
      replies: { 200: one },
      handle: (call) => retrieve(deps, call),
    }),
    route({
      method: 'DELETE',
      path: '/payments/:id',
      summary: 'Cancel a pending payment',
      description:
        'Only while the payment is pending and no charge of it is being handed to a provider. Refund a payment that has succeeded.',
      operation_id: 'cancelPayment',
      problems: ['payment_not_found', 'payment_not_cancellable'],
      access: 'public',
      scope: 'payment.write',
      replies: { 200: one },
      handle: async (call) => {
        const { team, store } = call.caller;
        const ref = { team_id: team.id, id: call.params.id as string };
        const { payment, attempts } = await cancelPayment(deps, store, ref, callerOf(call));
        return paymentReply(call, 200, 'Payment cancelled', { transaction: retrieved(store.environment, payment, attempts) });
      },
    }),
  ];
}

async function create(deps: PaymentDeps, call: Call<CreatePaymentBody>): Promise<Reply> {
  const { team, store } = call.caller;
  const { payment, replayed } = await deps.creators[store.environment].create(call);
  const token = makeToken(deps.secrets, { environment: store.environment, team_id: team.id, payment_id: payment.id });
  return {
    code: 201,
    message: 'Payment initialised',
    body: {
      authorization_url: pageUrlOf(deps.config, token),
      authorization_token: token,
      transaction: created(store.environment, payment),
    },
    ...(replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  };
}

async function retrieve({ readers }: Pick<PaymentDeps, 'readers'>, call: Call): Promise<Reply> {
  const { team, store } = call.caller;
  const payment = await readers[store.environment].read(team.id, call.params.id as string);
  return paymentReply(call, 200, 'Payment retrieved', { transaction: retrieved(store.environment, payment, payment.attempts) });
}
