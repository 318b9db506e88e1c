import type { Actor } from '../audit/actor.ts';
import { sealControl } from '../audit/chains.ts';
import type { Tx } from '../kit/sql.ts';
import { withControl } from './databases.ts';
import { operator } from './operator.ts';

/**
 * Changes the control database in one transaction, which `work` also writes its audit entry in. The trail is sealed at once;
 * should we die before that, the next command does it.
 */
export function administer<T>(work: (tx: Tx, by: Actor) => Promise<T>): Promise<T> {
  return withControl(async (control) => {
    const done = await control.transaction((tx) => work(tx, operator()));
    await sealControl(control);
    return done;
  });
}
