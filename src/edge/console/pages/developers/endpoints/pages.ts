import type { ConsoleDeps } from '../../../deps.ts';
import { type ConsolePage, teamPage } from '../../../page.ts';
import { createEndpoint, editEndpoint, showCreate, showEdit } from './form.ts';
import { showEndpoints } from './list.ts';
import { showEndpoint, testEndpoint } from './one.ts';
import { deleteEndpoint, showDelete } from './remove.ts';
import { resendEvents } from './resend.ts';
import { rotateSecret, showRotate } from './secret.ts';

/** The pages of webhook endpoints. Actions that show a secret, or change where events go, need a fresh factor. */
export function endpointPages(deps: ConsoleDeps): ConsolePage[] {
  const all = '/developers/endpoints';
  const one = `${all}/:id`;
  const write = { permission: 'webhook.write' } as const;
  return [
    teamPage({ method: 'GET', path: all, permission: 'webhook.read', handle: showEndpoints }),
    teamPage({ ...write, method: 'GET', path: `${all}/new`, fresh: true, handle: (visit) => showCreate(visit) }),
    teamPage({ ...write, method: 'POST', path: all, fresh: true, handle: createEndpoint }),
    teamPage({ method: 'GET', path: one, permission: 'webhook.read', handle: (visit) => showEndpoint(visit) }),
    teamPage({ ...write, method: 'GET', path: `${one}/edit`, fresh: true, handle: (visit) => showEdit(visit) }),
    teamPage({ ...write, method: 'POST', path: `${one}/edit`, fresh: true, handle: editEndpoint }),
    teamPage({ ...write, method: 'POST', path: `${one}/test`, handle: testEndpoint }),
    teamPage({ method: 'POST', path: `${one}/resend`, permission: 'event.write', handle: (visit) => resendEvents(deps, visit) }),
    teamPage({ ...write, method: 'GET', path: `${one}/rotate`, fresh: true, handle: showRotate }),
    teamPage({ ...write, method: 'POST', path: `${one}/rotate`, fresh: true, handle: rotateSecret }),
    teamPage({ ...write, method: 'GET', path: `${one}/delete`, fresh: true, handle: showDelete }),
    teamPage({ ...write, method: 'POST', path: `${one}/delete`, fresh: true, handle: deleteEndpoint }),
  ];
}
