import { randomUUID } from 'node:crypto';
import { refundRoutes } from '../../../core/refunds/routes.ts';
import { sendParts } from '../../../core/refunds/send.ts';
import { createRefund } from '../../../core/refunds/service.ts';
import type { CreateRefundBody } from '../../../core/refunds/schema.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { Failure } from '../failure.ts';
import { readAmount } from '../in-store.ts';
import { interruptible } from '../interrupted.ts';
import type { Item } from '../listing.ts';
import { environmentOf, type Operations, type TeamOptions, withOperations } from '../operations.ts';
import { refuse } from '../refuse.ts';
import { details, print } from '../output.ts';
import { refundLines } from '../refunds/actions.ts';

interface RefundOptions extends TeamOptions {
  amount?: string;
  reason: CreateRefundBody['reason'];
  idempotencyKey?: string;
  json?: true;
}

interface Refunded {
  refund: Item;
  /** An earlier refund with the same idempotency key. */
  replayed: boolean;
}

/** Refunds a payment as the API does, with the operator in the audit trail. */
export async function refundCommand(id: string, options: RefundOptions): Promise<void> {
  const environment = environmentOf('trx', id, options.environment, 'payments list');
  const key = options.idempotencyKey ?? randomUUID();
  const amount = options.amount === undefined ? {} : { amount: wireFromMinor(readAmount(options.amount)) };
  const body: CreateRefundBody = { payment: id, reason: options.reason, ...amount };
  const uncertain = 'it is not known whether the refund was made';
  const advice = `Repeat the command with --idempotency-key ${key}, which never refunds twice.`;
  const make = (operations: Operations) =>
    refunded(operations, body, key).catch((error: unknown) => {
      if (error instanceof Failure) throw error;
      throw new Failure(`${uncertain}: ${error instanceof Error ? error.message : String(error)}`, advice, { cause: error });
    });
  const { refund, replayed } = await interruptible(uncertain, advice, () => withOperations(environment, options, make));
  print(options.json, { ...refund, idempotency_key: key, replayed }, () =>
    [details(refundLines(refund)), nextOf(refund, replayed)].filter(Boolean).join('\n'),
  );
}

async function refunded({ deps, call, run }: Operations, body: CreateRefundBody, idempotency_key: string): Promise<Refunded> {
  const made = call<CreateRefundBody, unknown>({ body, idempotency_key });
  const { reply, refund } = await createRefund(deps, made).catch((error: unknown) =>
    refuse(error, { otherwise: `"pirogue payments show ${body.payment}" shows its state.` }),
  );
  const { store } = made.caller;
  // As in the API, a sandbox refund ends at once. Live refunds are sent by the workers, which limit the calls to a provider.
  if (store.environment === 'sandbox' && refund?.draws) await sendParts(deps, store, refund);
  const { id } = reply.body.refund as { id: string };
  const now = await run(refundRoutes(deps), 'GET /refunds/:id', { params: { id } });
  return { refund: now.body.refund as Item, replayed: refund === null };
}

function nextOf({ id, status, message }: Item, replayed: boolean): string {
  if (replayed) return 'This refund was made before with the same idempotency key: nothing was refunded now.';
  // The message states why the refund waits.
  if (message !== null || (status !== 'pending' && status !== 'processing')) return '';
  return `The running service sends it to the provider: "pirogue refunds show ${id}" shows its outcome.`;
}
