import { WORKER } from '../../src/tenants/audit/actor.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Deps } from '../../src/program/deps.ts';
import type { Call } from '../../src/tenants/api/route.ts';
import type { CreateRefundBody } from '../../src/core/refunds/schema.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import type { CreateTransferBody } from '../../src/core/transfers/schema.ts';
import type { FakeClock } from '../setup/api.ts';

/** Whose calls they are, and when. */
interface Caller {
  deps: Deps;
  store: Store;
  team_id: bigint;
}

export async function fund({ store, team_id, deps }: Caller): Promise<void> {
  await fundSandbox(deps, { ...store, environment: 'sandbox' }, team_id, 'XAF', 10_000_000n, WORKER);
}

export function refundCall(caller: Caller, clock: FakeClock, body: CreateRefundBody): Call<CreateRefundBody> {
  return call(caller, clock, body);
}

export function transferCall(caller: Caller, clock: FakeClock): Call<CreateTransferBody> {
  return call(caller, clock, { amount: 5_000, currency: 'XAF', recipient: '+237650000000', channel: 'cm.mtn' });
}

function call<Body>({ store, team_id }: Caller, clock: FakeClock, body: Body): Call<Body> {
  return {
    caller: {
      team: { id: team_id, verification_level: 4, unique_references: false, default_currency: 'XAF' },
      store,
      key_id: 'key',
    },
    body,
    params: {},
    query: {},
    idempotency_key: null,
    sync: null,
    request_id: 'req',
    at: clock.now(),
  } as unknown as Call<Body>;
}
