import type { ConsoleDeps } from '../../../deps.ts';
import { type ConsolePage, teamPage } from '../../../page.ts';
import { createKey, showCreate } from './create.ts';
import { showKeys } from './list.ts';
import { showKey } from './one.ts';
import { revoke, showRevoke } from './revoke.ts';
import { rollKey, showRoll } from './roll.ts';
import { switchKey } from './switch.ts';

/** The pages of API keys. Changes require a fresh factor. */
export function keyPages(deps: ConsoleDeps): ConsolePage[] {
  const all = '/developers/keys';
  const one = `${all}/:id`;
  const read = { method: 'GET', permission: 'key.read' } as const;
  const form = { method: 'GET', permission: 'key.write', fresh: true } as const;
  const write = { method: 'POST', permission: 'key.write', fresh: true } as const;
  return [
    teamPage({ ...read, path: all, handle: (visit) => showKeys(deps, visit) }),
    teamPage({ ...form, path: `${all}/new`, handle: async (visit) => showCreate(visit) }),
    teamPage({ ...write, path: all, handle: createKey }),
    teamPage({ ...read, path: one, handle: (visit) => showKey(deps, visit) }),
    teamPage({ ...write, path: `${one}/deactivate`, handle: (visit) => switchKey(deps, visit, false) }),
    teamPage({ ...write, path: `${one}/activate`, handle: (visit) => switchKey(deps, visit, true) }),
    teamPage({ ...form, path: `${one}/revoke`, handle: (visit) => showRevoke(deps, visit) }),
    teamPage({ ...write, path: `${one}/revoke`, handle: (visit) => revoke(deps, visit) }),
    teamPage({ ...form, path: `${one}/roll`, handle: (visit) => showRoll(deps, visit) }),
    teamPage({ ...write, path: `${one}/roll`, handle: (visit) => rollKey(deps, visit) }),
  ];
}
