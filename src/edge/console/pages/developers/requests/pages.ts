import type { ConsoleDeps } from '../../../deps.ts';
import { type ConsolePage, teamPage } from '../../../page.ts';
import { showRequests } from './list.ts';

/** The page of the request log. */
export function requestPages(deps: ConsoleDeps): ConsolePage[] {
  return [
    teamPage({
      ...{ method: 'GET', path: '/developers/requests', permission: 'request_log.read' },
      handle: (visit) => showRequests(deps, visit),
    }),
  ];
}
