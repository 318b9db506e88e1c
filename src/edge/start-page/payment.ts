import { makeToken } from '../../core/payments/token.ts';
import type { CreatePaymentBody } from '../../core/payments/schema.ts';
import { Problem } from '../../kit/errors.ts';
import type { KeyRing } from '../../tenants/keys/ring.ts';
import type { Demo, StartPageDeps } from './deps.ts';

/** 25,000 XAF in major units. */
export const TEST_AMOUNT = 25_000;
export const TEST_CURRENCY = 'XAF';
/** Sandbox number whose payments succeed (docs/sandbox.md). */
export const TEST_PHONE = '+237650000000';

interface Wanted {
  /** Identifies the form. A form that is sent twice creates one payment. */
  nonce: string;
  /** Return address of the hosted page. */
  callback: string;
  request_id: string;
  trace_id: string;
  ip: string;
  at: number;
}

/**
 * Creates a sandbox payment of the demo team, as its server would with its secret key.
 * @returns the path of its hosted page
 * @throws Problem 401 when the demo key was revoked, and those of `POST /payments`
 */
export async function createTestPayment(deps: StartPageDeps, keys: KeyRing, demo: Demo, wanted: Wanted): Promise<string> {
  const key = await keys.find(demo.sandbox.secret);
  if (!key) throw new Problem(401, 'The sandbox secret key of the demo team was revoked or has expired.');
  const { nonce, callback, ...request } = wanted;
  const body: CreatePaymentBody = {
    amount: TEST_AMOUNT,
    currency: TEST_CURRENCY,
    phone: TEST_PHONE,
    reference: `start-page-${nonce}`,
    description: 'Test payment',
    callback,
  };
  const store = deps.stores.sandbox.of(key.team.id);
  const caller = { team: key.team, store, key_id: key.id, kind: key.kind, scopes: [] };
  const call = { ...request, caller, body, params: {}, query: {}, idempotency_key: `start-page-${nonce}`, sync: null };
  const { payment } = await deps.creators.sandbox.create(call);
  deps.wake.ring('sandbox');
  const subject = { environment: store.environment, team_id: key.team.id, payment_id: payment.id };
  return `/pay/${makeToken(deps.secrets, subject)}`;
}
