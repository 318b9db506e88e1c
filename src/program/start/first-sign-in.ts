import { newId } from '../../kit/ids.ts';
import { WORKER } from '../../tenants/audit/actor.ts';
import { recordAll } from '../../tenants/audit/record.ts';
import type { PeopleDeps } from '../../tenants/people/deps.ts';
import { linkPath, makeLink } from '../../tenants/people/links.ts';
import { findUserByEmail, insertMembership, insertUser } from '../../tenants/people/store.ts';

const OWNER = { email: 'owner@demo.example', name: 'Demo owner' };

/**
 * Makes the link that signs a new user in as owner of the demo team: valid for ten minutes, once. It is printed on a terminal only,
 * because other output may be stored.
 * @param at milliseconds since the epoch
 * @returns its path below the address of the console
 */
export function firstSignIn({ stores, secrets }: PeopleDeps, team_id: bigint, at: number): Promise<string> {
  return stores.control.transaction(async (tx) => {
    const known = await findUserByEmail(tx, OWNER.email);
    const id = known?.id ?? newId('usr', 'live', at);
    if (!known) await insertUser(tx, { id, ...OWNER, password: null, locale: null, operator: false });
    const joined = await insertMembership(tx, team_id, id, 'owner');
    const link = { kind: 'sign_in', email: OWNER.email, user_id: id, team_id, role: null, invited_by: null } as const;
    const link_id = await makeLink(tx, link, at);
    const entry = { by: WORKER, at, resource_id: id };
    await recordAll(tx, [
      ...(known ? [] : [{ ...entry, team_id: null, action: 'person.create' as const }]),
      ...(joined ? [{ ...entry, team_id, action: 'person.join' as const }] : []),
      { ...entry, team_id: null, action: 'person.link' as const },
    ]);
    return linkPath(secrets, link_id);
  });
}
