import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, redirect, teamPage } from '../../page.ts';
import { endpointPages } from './endpoints/pages.ts';
import { eventPages } from './events/pages.ts';
import { keyPages } from './keys/pages.ts';
import { requestPages } from './requests/pages.ts';
import { sandboxPages } from './sandbox/pages.ts';

/** The pages for developers who integrate the API. */
export function developerPages(deps: ConsoleDeps): ConsolePage[] {
  return [
    teamPage({
      ...{ method: 'GET', path: '/developers', permission: 'webhook.read' },
      handle: async ({ base }) => redirect(`${base}/developers/endpoints`),
    }),
    ...endpointPages(deps),
    ...eventPages(),
    ...requestPages(deps),
    ...keyPages(deps),
    ...sandboxPages(deps),
  ];
}
