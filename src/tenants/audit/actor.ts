import type { Call } from '../api/route.ts';

/** Who acts, and from where: ids only. */
export interface Actor {
  kind: 'key' | 'payer' | 'operator' | 'provider' | 'worker';
  /** Id of the key, or login name of the operator; null for actors without an id here. */
  id: string | null;
  request_id: string | null;
  /** Address of the caller, or the operator's machine. Never a payer's address. */
  address: string | null;
}

/** The holder of a key. */
export interface KeyHolder extends Actor {
  kind: 'key';
  id: string;
  request_id: string;
}

/** The actor of updates from a provider. */
export const PROVIDER: Actor = { kind: 'provider', id: null, request_id: null, address: null };

/** The actor of the service's own background work. */
export const WORKER: Actor = { kind: 'worker', id: null, request_id: null, address: null };

/** Returns the actor for a payer on a hosted page. */
export function payer(request_id: string): Actor {
  return { kind: 'payer', id: null, request_id, address: null };
}

/** Returns the holder of the key of a request. A public key is used in the payer's browser, whose address is not stored. */
export function callerOf({ caller, request_id, ip }: Pick<Call, 'caller' | 'request_id' | 'ip'>): KeyHolder {
  return { kind: 'key', id: caller.key_id, request_id, address: caller.kind === 'public' ? null : ip };
}
