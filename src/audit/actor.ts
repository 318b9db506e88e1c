import type { Call } from '../http/route.ts';

/** Who acts, and from where: ids only. */
export interface Actor {
  kind: 'key' | 'payer' | 'operator' | 'provider' | 'worker';
  /** The key's, or the name of the operator's login; null for those who have none here. */
  id: string | null;
  request_id: string | null;
  /** The calling address, or the operator's machine. Never a payer's. */
  address: string | null;
}

/** The holder of a key. */
export interface KeyHolder extends Actor {
  kind: 'key';
  id: string;
  request_id: string;
}

/** What a provider announced. */
export const PROVIDER: Actor = { kind: 'provider', id: null, request_id: null, address: null };

/** What the service does by itself. */
export const WORKER: Actor = { kind: 'worker', id: null, request_id: null, address: null };

/** Someone on a hosted page. */
export function payer(request_id: string): Actor {
  return { kind: 'payer', id: null, request_id, address: null };
}

/** Whoever holds the key of a call. A public key calls from the browser of a payer, whose address is nobody's business. */
export function callerOf({ caller, request_id, ip }: Pick<Call, 'caller' | 'request_id' | 'ip'>): KeyHolder {
  return { kind: 'key', id: caller.key_id, request_id, address: caller.kind === 'public' ? null : ip };
}
