import type { Actor } from '../../tenants/audit/actor.ts';
import { sealControl } from '../../tenants/audit/chains.ts';
import type { Db, Tx } from '../../kit/sql.ts';
import { type Opening, withControl } from './databases.ts';
import { operator } from './operator.ts';

/**
 * Runs a change of the control database in one transaction, in which `work` also writes its audit entry. The audit trail is
 * sealed right after it. If the process dies before that, the next command seals it.
 */
export function administer<T>(work: (tx: Tx, by: Actor) => Promise<T>, opening: Opening = {}): Promise<T> {
  const changed = async (control: Db) => {
    const done = await control.transaction((tx) => work(tx, operator()));
    await sealControl(control);
    return done;
  };
  return withControl(changed, opening);
}
