import { untilChangeIsKnown } from '../../../../../tenants/keys/service.ts';
import { heldBack, movesMoneyOut } from '../../../approvals/held.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { faultOf } from '../../../parts/fault.ts';
import { showKey } from './one.ts';
import { checkRights, heldKey, keyOf, setActive } from './service.ts';

/** Activates or deactivates a key. Answers when every node applies the change. */
export async function switchKey(deps: ConsoleDeps, visit: TeamVisit, active: boolean): Promise<Answer> {
  try {
    const { id, kind, scopes, allowed_ips, expires_at } = await keyOf(deps.stores.control, visit);
    if (active) checkRights(visit, kind, scopes);
    const asked = heldKey('key.activate', { id, kind, scopes, allowed_ips, expires_at });
    const held = active && movesMoneyOut(kind, scopes) && (await heldBack(visit, asked));
    if (held) return held;
    await setActive(deps.stores.control, visit, active);
  } catch (error) {
    return showKey(deps, visit, faultOf(visit, error));
  }
  await untilChangeIsKnown();
  return redirect(`${visit.base}/developers/keys/${visit.params.id}?done=${active ? 'activate' : 'deactivate'}`);
}
