import type { Tx } from '../../../../../kit/sql.ts';
import { checkNotEnded, untilChangeIsKnown } from '../../../../../tenants/keys/service.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { faultOf } from '../../../parts/fault.ts';
import { showKey } from './one.ts';
import { changeKey, checkRights, heldKey, keyOf, setActive } from './service.ts';

/** Activates or deactivates a key. Answers when every node applies the change. */
export async function switchKey(deps: ConsoleDeps, visit: TeamVisit, active: boolean): Promise<Answer> {
  const switched = redirect(`${visit.base}/developers/keys/${visit.params.id}?done=${active ? 'activate' : 'deactivate'}`);
  try {
    const key = await keyOf(deps.stores.control, visit);
    const { active: isActive, id, kind, scopes, allowed_ips, expires_at } = key;
    if (active) checkRights(visit, kind, scopes);
    // Also where a second person decides: nobody is asked for what cannot be done.
    checkNotEnded(key, visit.at);
    const change = (tx: Tx) => setActive(tx, visit, active);
    if (active) {
      const asked = heldKey('key.activate', { id, kind, scopes, allowed_ips, expires_at });
      const done = await changeKey(
        visit,
        asked,
        { kind, scopes },
        {
          change,
          madeBefore: async () => (isActive ? switched : null),
        },
      );
      if ('answer' in done) return done.answer;
    } else await deps.stores.control.transaction(change);
  } catch (error) {
    return showKey(deps, visit, faultOf(visit, error));
  }
  await untilChangeIsKnown();
  return switched;
}
