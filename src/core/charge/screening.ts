import { endsPayment } from '../abuse/rules.ts';
import { screen } from '../abuse/service.ts';
import { releaseKey } from '../../tenants/api/idempotency-store.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { must } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import { apply } from '../payments/apply.ts';
import { attemptsOf } from '../attempts/store.ts';
import type { PaymentDeps } from '../payments/deps.ts';
import type { Charge } from './instrument.ts';
import { takeKey } from './key.ts';
import { chargeFault, declined } from './refusals.ts';
import type { ChargeHooks } from './start.ts';
import { isUnderWay } from '../attempts/schema.ts';
import { hasUndecidedMoney } from '../payments/retry.ts';
import { lockPayments, type PaymentRef } from '../payments/store.ts';

const REFUSED = 'The charge was refused by the rules against abuse.';

/**
 * Screens a charge for fraud before an attempt is created. A rejection that would repeat ends the payment as a decline does;
 * too many charges leave it unchanged.
 * @throws Problem 402 `fraud_blocked`; 400, and any error of the hooks, as for any charge
 */
export async function screenCharge(
  deps: PaymentDeps,
  store: Store,
  ref: PaymentRef,
  charge: Charge,
  hooks?: ChargeHooks,
): Promise<void> {
  // A later tranche that the service sends itself: its payer was screened before.
  if (!charge.screened) return;
  const refusal = await screen(deps, store, {
    ...{ team_id: ref.team_id, payment_id: ref.id, currency: charge.currency },
    ...{ payer: charge.payer, address: charge.client_ip, prompted_by: charge.prompted_by },
    ...charge.screened,
  });
  if (!refusal) return;
  if (!endsPayment(refusal)) throw declined('fraud_blocked', `${REFUSED} The payment can be charged later.`);
  await end(deps, store, ref, charge, hooks);
  throw declined('fraud_blocked', REFUSED);
}

/** Ends the payment under the same lock and conditions as a charge: a payment with a charge under way is never ended. */
async function end(deps: PaymentDeps, store: Store, ref: PaymentRef, charge: Charge, hooks?: ChargeHooks): Promise<void> {
  await store.db.transaction(async (tx) => {
    const payment = must((await lockPayments(tx, [ref]))[0], 'the payment was found before');
    const attempts = await attemptsOf(tx, [ref]);
    const at = deps.clock.now();
    const attempt_id = newId('att', store.environment, at);
    await hooks?.started?.(tx, attempt_id);
    if (hooks?.key) await takeKey(tx, hooks.key, attempt_id);
    const fault = chargeFault(payment, attempts.some(isUnderWay) || (await hasUndecidedMoney(tx, attempts)), at);
    if (fault) throw fault;
    const context = { environment: store.environment, at, listeners: deps.listeners };
    const decline = { kind: 'declined', channel: charge.channel.id, reason: 'fraud_blocked', message: REFUSED } as const;
    await apply(tx, context, [{ team_id: ref.team_id, payment_id: ref.id, occurrences: [decline] }]);
    await record(tx, charge.by, { team_id: ref.team_id, action: 'payment.charge', resource_id: ref.id, at });
    // No attempt remains from which a response could be reconstructed.
    if (hooks?.key) await releaseKey(tx, hooks.key.slot, hooks.key.own);
  });
  if (hooks?.key) hooks.key.released = true;
  deps.wake.ring(store.environment);
}
