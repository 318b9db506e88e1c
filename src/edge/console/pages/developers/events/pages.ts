import { type ConsolePage, teamPage } from '../../../page.ts';
import { showEvents } from './list.ts';
import { resendEvent, showEvent } from './one.ts';

/** The pages of events. */
export function eventPages(): ConsolePage[] {
  const all = '/developers/events';
  return [
    teamPage({ method: 'GET', path: all, permission: 'event.read', handle: showEvents }),
    teamPage({ method: 'GET', path: `${all}/:id`, permission: 'event.read', handle: (visit) => showEvent(visit) }),
    teamPage({ method: 'POST', path: `${all}/:id/resend`, permission: 'event.write', handle: resendEvent }),
  ];
}
