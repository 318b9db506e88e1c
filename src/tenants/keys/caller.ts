import type { Store } from '../../platform/db/stores.ts';
import type { Team } from '../teams/schema.ts';
import type { Scope } from './scopes.ts';

export type KeyKind = 'public' | 'secret' | 'restricted';

/** Authenticated caller, derived from the API key and passed to every handler. The key selects the environment. */
export interface Caller {
  team: Team;
  store: Store;
  key_id: string;
  kind: KeyKind;
  scopes: readonly Scope[];
}
