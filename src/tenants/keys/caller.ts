import type { Store } from '../../platform/db/stores.ts';
import type { Team } from '../teams/schema.ts';
import type { Scope } from './scopes.ts';

export type KeyKind = 'public' | 'secret' | 'restricted';

/**
 * Authenticated caller, passed to every handler: derived from the API key, which selects the environment, or from a session of the
 * console.
 */
export interface Caller {
  team: Team;
  store: Store;
  /** Id of the key; of the user (`usr_…`) for a session; login name of the operator on the command line. */
  key_id: string;
  /** Session of a person who is signed in to the console. Absent: the caller presented a key. */
  session_id?: string;
  /** A session acts as a secret key, because the permissions of its role are checked earlier. */
  kind: KeyKind;
  scopes: readonly Scope[];
  /** Machine of the operator who acts for the team on the command line; absent: the holder of the key acts. */
  operator_at?: string;
}
