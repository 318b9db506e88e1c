import { unreachable } from '../../kit/errors.ts';
import { isId } from '../../kit/ids.ts';
import { applyAttemptCallback } from '../../core/charge/callback.ts';
import type { Addressed } from '../../providers/provider-accounts/directory.ts';
import type { Callback, Provider, RawCallback, Reading, Subject } from '../../providers/adapters/contract.ts';
import { findReported, pollRefund } from '../../core/refunds/service.ts';
import { recheckFailedRefund, pollReturn } from '../../core/returns/service.ts';
import { pollTransfer } from '../../core/transfers/service.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { CallbackDeps } from './deps.ts';

/**
 * The operation a callback refers to, from our address or from the body. `reported` is the subject in the body, where the
 * unguessable callback address already identifies the operation.
 */
export type OperationRef = { by: 'id' | 'provider_key' | 'provider_ref'; value: string; reported?: Subject };

/**
 * The subject of a callback, with the phone and account numbers of its person; null: they were not read. The provider receives the
 * same response with and without a match, so that it reveals nothing about our data.
 */
export interface Matched {
  /** Attempt, payout, refund or return. */
  subject_id: string;
  numbers: readonly string[] | null;
}

/** A callback that is not forged. */
export type AuthenticCallback = Exclude<Callback, { kind: 'forged' }>;

/** Authenticates and parses a callback from its bytes alone. */
export function verifyCallback({ provider }: Addressed, raw: RawCallback): Callback {
  return provider.verifyCallback?.(raw) ?? { kind: 'hint', subject: null };
}

/**
 * Processes a callback of an account. A signed status counts as a reading; everything else triggers a status read.
 * Callbacks may be repeated, late, out of order, or arrive before the response to the submission. This is harmless,
 * because every update is applied by the same code as the results of polling.
 * @param id from the address, when it identifies an attempt, payout or refund of ours
 */
export async function receive(
  deps: CallbackDeps,
  to: Addressed,
  callback: AuthenticCallback,
  id: string | null,
): Promise<Matched | null> {
  const { provider } = to;
  switch (callback.kind) {
    case 'hint':
      return pass(deps, to, operationRefOf(provider, id, callback.subject), null);
    case 'signed': {
      // A caller who knows an address could send a callback signed for another operation there. It only triggers a
      // status read.
      const update = id === null || callback.subject?.value === provider.keyOf(id) ? callback.update : null;
      return pass(deps, to, operationRefOf(provider, id, callback.subject), update);
    }
    default:
      return unreachable(callback);
  }
}

/** Identifies the operation. Our own address cannot be guessed, so it takes precedence over the body. */
function operationRefOf({ capabilities }: Provider, id: string | null, subject: Subject | null): OperationRef | null {
  if (id === null) return subject;
  const reported = capabilities.readable_by === 'theirs' && subject?.by === 'provider_ref' ? { reported: subject } : {};
  return { by: 'id', value: id, ...reported };
}

async function pass(
  deps: CallbackDeps,
  to: Addressed,
  ref: OperationRef | null,
  update: Reading | null,
): Promise<Matched | null> {
  if (ref === null) return null;
  const { team_id, environment, provider } = to;
  const store = deps.stores[environment].of(team_id);
  const from = { team_id, account_id: provider.account_id };
  if (ref.by === 'id' && ref.value.startsWith('rfd_')) return passRefund(deps, store, { team_id, id: ref.value });
  if (ref.by === 'id' && ref.value.startsWith('rtn_')) {
    await pollReturn(store, deps.clock.now(), { team_id, id: ref.value }, provider.account_id);
    return { subject_id: ref.value, numbers: null };
  }
  if (ref.by === 'provider_key') {
    // Most callbacks are about payments, and arrive long before the payment is archived.
    const charge = await applyAttemptCallback(deps, store, from, ref, update, 'unarchived');
    if (charge) return matched(charge.id, [charge.payer]);
  }
  const isCharge = ref.by === 'id' && isId('att', environment, ref.value);
  if (ref.by !== 'provider_ref' && !isCharge) {
    const transfer = await pollTransfer(
      store,
      deps.clock.now(),
      { ...from, keyOf: (own) => provider.keyOf(own) },
      { by: ref.by, value: ref.value },
    );
    if (transfer) return matched(transfer.id, [transfer.recipient.phone, transfer.recipient.account_number]);
  }
  const attempt = await applyAttemptCallback(deps, store, from, ref, update);
  if (attempt) return matched(attempt.id, [attempt.payer]);
  const refund = ref.by === 'provider_key' ? await findReported(store, team_id, provider.account_id, ref.value) : undefined;
  if (!refund) return null;
  const { id, way, return_id } = refund;
  if (way === 'refund' || return_id === null) return passRefund(deps, store, { team_id, id });
  await pollReturn(store, deps.clock.now(), { team_id, id: return_id }, provider.account_id);
  return { subject_id: id, numbers: null };
}

/** Makes a refund due for a reading, also one that has failed. */
async function passRefund(
  { clock }: CallbackDeps,
  store: Store,
  { team_id, id }: { team_id: bigint; id: string },
): Promise<Matched> {
  await pollRefund(store, clock.now(), team_id, id);
  await recheckFailedRefund(store, clock.now(), team_id, id);
  return { subject_id: id, numbers: null };
}

function matched(subject_id: string, numbers: readonly (string | null)[]): Matched {
  const known = numbers.filter((one) => one !== null);
  return { subject_id, numbers: known.length === 0 ? null : known };
}
