import { takeKey } from '../../tenants/api/idempotency-store.ts';
import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { sha256 } from '../../kit/crypto.ts';
import { notFound } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { shiftAttempts } from '../../core/attempts/store.ts';
import { shiftDisputes } from '../../core/disputes/store.ts';
import { shiftPayments } from '../../core/payments/store.ts';
import { shiftRefunds } from '../../core/refunds/shift-store.ts';
import { shiftTransfers } from '../../core/transfers/store.ts';
import { shiftReleases } from '../../money/settlement/store.ts';
import { shiftDeliveries } from '../../money/webhooks/store.ts';
import type { Shifted, TimeShift } from '../../platform/db/time-shift.ts';
import type { SandboxClockDeps } from './deps.ts';

/** Kinds of rows with a scheduled time, in the order in which they are locked. */
const KINDS = {
  payments: shiftPayments,
  charges: shiftAttempts,
  disputes: shiftDisputes,
  refunds: shiftRefunds,
  transfers: shiftTransfers,
  holds: shiftReleases,
  deliveries: shiftDeliveries,
};

type Kind = keyof typeof KINDS;

/** For each kind: how many scheduled times were moved, and how many became due. */
export type Advanced = Record<Kind, Shifted>;

interface Advance {
  team_id: bigint;
  by_ms: number;
}

/**
 * Advances the clock of one sandbox team: moves every scheduled time closer, in one transaction, so that an advance is never
 * partial. The workers process what became due in their next round (docs/decisions/0036-sandbox-clock.md).
 * @param by_ms above zero
 */
export async function advanceClock(
  deps: Pick<SandboxClockDeps, 'clock'>,
  store: Store,
  advance: Advance,
  by: Actor,
): Promise<Advanced> {
  refuseLive(store);
  const at = deps.clock.now();
  return store.db.transaction((tx) => shiftAll(tx, advance, by, at));
}

/**
 * Advances the clock of one sandbox team, once for each key. A form that is submitted twice, even concurrently, advances it once.
 * @param key key of the form
 */
export async function advanceClockOnce(
  deps: Pick<SandboxClockDeps, 'clock'>,
  store: Store,
  advance: Advance & { key: string },
  by: Actor,
): Promise<void> {
  refuseLive(store);
  const at = deps.clock.now();
  const { team_id, by_ms } = advance;
  // The same form with another time, such as after going back to it, is another advance.
  const slot = { team_id, route: 'sandbox clock', key: `${advance.key}-${by_ms}`, request_hash: sha256(String(by_ms)) };
  await store.db.transaction(async (tx) => {
    if (await takeKey(tx, { ...slot, created_at: new Date(at) })) await shiftAll(tx, { team_id, by_ms }, by, at);
  });
}

async function shiftAll(tx: Tx, advance: Advance, by: Actor, at: number): Promise<Advanced> {
  const { team_id } = advance;
  const shift: TimeShift = { ...advance, now: new Date(at) };
  const moved: Partial<Advanced> = {};
  for (const kind of Object.keys(KINDS) as Kind[]) moved[kind] = await KINDS[kind](tx, shift);
  await record(tx, by, { team_id, action: 'clock.advance', resource_id: String(team_id), at });
  return moved as Advanced;
}

/**
 * Advances the clock of one payment only.
 * @throws Problem 404 when there is no such payment that could still expire
 */
export async function advancePayment(
  deps: Pick<SandboxClockDeps, 'clock'>,
  store: Store,
  advance: Advance & { payment_id: string },
  by: Actor,
): Promise<void> {
  refuseLive(store);
  const at = deps.clock.now();
  const { team_id, by_ms, payment_id } = advance;
  await store.db.transaction(async (tx) => {
    const { moved } = await shiftPayments(tx, { team_id, by_ms, now: new Date(at) }, payment_id);
    if (moved === 0) throw notFound('Payment');
    await record(tx, by, { team_id, action: 'clock.advance', resource_id: payment_id, at });
  });
}

function refuseLive({ environment }: Store): void {
  if (environment !== 'sandbox') throw new Error('impossible: only the sandbox has a clock that can be moved');
}
