import type { Call } from '../api/route.ts';

/** The originator of an action and its address, by ids only. */
export interface Actor {
  kind: 'key' | 'user' | 'payer' | 'operator' | 'provider' | 'worker';
  /** Id of the key, `usr_…:ses_…` (user and session), or login name of the operator; null for actors without an id here. */
  id: string | null;
  request_id: string | null;
  /** Address of the caller, or the operator's machine. Never a payer's address. */
  address: string | null;
}

/** The originator of a request: the holder of a key, a person who is signed in, or an operator on the command line. */
export interface Requester extends Actor {
  kind: 'key' | 'user' | 'operator';
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

/**
 * Returns who makes a request: the holder of its key, the person of its session, or the operator. A public key is used in the payer's
 * browser, whose address is not stored.
 */
export function callerOf({ caller, request_id, ip }: Pick<Call, 'caller' | 'request_id' | 'ip'>): Requester {
  const { key_id: id, session_id, operator_at } = caller;
  if (operator_at !== undefined) return { kind: 'operator', id, request_id, address: operator_at };
  if (session_id !== undefined) return person(id, session_id, request_id, ip);
  return { kind: 'key', id, request_id, address: caller.kind === 'public' ? null : ip };
}

/** Returns a person who is signed in to the console. */
export function person(user_id: string, session_id: string, request_id: string, address: string): Requester {
  return { kind: 'user', id: `${user_id}:${session_id}`, request_id, address };
}
