import type { Db, Tx } from '../../../../../kit/sql.ts';
import { checkNotEnded, untilChangeIsKnown } from '../../../../../tenants/keys/service.ts';
import type { KeyRow } from '../../../../../tenants/keys/store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { countKeyChanges } from '../../../approvals/replaced.ts';
import { doneOnce } from '../../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { faultOf } from '../../../parts/fault.ts';
import { showKey } from './one.ts';
import { changeKey, checkRights, heldKey, keyOf, setActive } from './service.ts';

/** Activates or deactivates a key. Answers when every node applies the change. */
export async function switchKey(deps: ConsoleDeps, visit: TeamVisit, active: boolean): Promise<Answer> {
  const { control } = deps.stores;
  const switched = redirect(`${visit.base}/developers/keys/${visit.params.id}?done=${active ? 'activate' : 'deactivate'}`);
  try {
    const change = (tx: Tx) => setActive(tx, visit, active);
    const operation = async () => (active ? activate(control, visit, change, switched) : control.transaction(change));
    const asked = await doneOnce(operation, async () => (await switchable(control, visit)).active === active);
    if (asked) return asked;
  } catch (error) {
    return showKey(deps, visit, faultOf(visit, error));
  }
  await untilChangeIsKnown();
  return switched;
}

/**
 * Activates a key, or requests the approval.
 * @param switched answer of a form that has activated it
 * @returns null when it is activated
 */
async function activate(
  control: Db,
  visit: TeamVisit,
  change: (tx: Tx) => Promise<void>,
  switched: Answer,
): Promise<Answer | null> {
  // Also where a second person decides: nobody is asked for what cannot be done.
  const changes = await countKeyChanges(control, visit, visit.params.id ?? '');
  const { active: isActive, id, kind, scopes, allowed_ips, expires_at } = await switchable(control, visit);
  checkRights(visit, kind, scopes);
  const asked = heldKey('key.activate', { id, kind, scopes, allowed_ips, expires_at }, { changes });
  const madeBefore = async () => (isActive ? switched : null);
  const done = await changeKey(visit, asked, { kind, scopes }, { change, madeBefore });
  return 'answer' in done ? done.answer : null;
}

/**
 * Returns the key.
 * @throws Problem 404; 409 when it is revoked or has expired
 */
async function switchable(control: Db, visit: TeamVisit): Promise<KeyRow> {
  const key = await keyOf(control, visit);
  checkNotEnded(key, visit.at);
  return key;
}
