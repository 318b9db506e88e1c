import type { Store } from '../db/stores.ts';
import type { Team } from '../teams/schema.ts';
import type { Scope } from './scopes.ts';

export type KeyKind = 'public' | 'secret' | 'restricted';

/** Who is calling: found from the key, handed to every handler. The key selects the store. */
export interface Caller {
  team: Team;
  store: Store;
  key_id: string;
  kind: KeyKind;
  scopes: readonly Scope[];
}
