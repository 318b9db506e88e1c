import type { ConsoleDeps } from '../../../deps.ts';
import { type ConsolePage, teamPage } from '../../../page.ts';
import { advance } from './clock.ts';
import { makePayment } from './payment.ts';
import { showSandbox } from './show.ts';
import { trigger } from './trigger.ts';

/** The page of the sandbox: test numbers, test payments, events and the clock. */
export function sandboxPages(deps: ConsoleDeps): ConsolePage[] {
  const path = '/developers/sandbox';
  const write = { method: 'POST', permission: 'payment.write' } as const;
  return [
    teamPage({ method: 'GET', path, permission: 'resource.read', handle: async (visit) => showSandbox(visit) }),
    teamPage({ ...write, path: `${path}/clock`, handle: (visit) => advance(deps, visit) }),
    teamPage({ ...write, path: `${path}/payment`, handle: makePayment }),
    teamPage({ ...write, path: `${path}/event`, handle: (visit) => trigger(deps, visit) }),
  ];
}
