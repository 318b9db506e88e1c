import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, openPage, personPage, redirect } from '../../page.ts';
import { showConfirm, submitConfirm, submitConfirmPasskey } from './confirm.ts';
import { showLink, submitLink } from './link.ts';
import { showReset, submitReset } from './reset.ts';
import { showSignIn, signOut, submitCode, submitPasskey, submitPassword } from './sign-in.ts';

/** The pages of authentication. */
export function signInPages(deps: ConsoleDeps): ConsolePage[] {
  return [
    openPage({ method: 'GET', path: '/sign-in', handle: (visit) => showSignIn(deps, visit) }),
    openPage({ method: 'POST', path: '/sign-in', handle: (visit) => submitPassword(deps, visit) }),
    openPage({ method: 'POST', path: '/sign-in/code', handle: (visit) => submitCode(deps, visit) }),
    openPage({ method: 'POST', path: '/sign-in/passkey', handle: (visit) => submitPasskey(deps, visit) }),
    // Targets of a change of the language during the second step.
    ...['/sign-in/code', '/sign-in/passkey'].map((path) =>
      openPage({ method: 'GET', path, handle: async () => redirect('/console/sign-in') }),
    ),
    openPage({ method: 'POST', path: '/sign-out', handle: (visit) => signOut(deps, visit) }),
    personPage({ method: 'GET', path: '/confirm', handle: (visit) => showConfirm(deps, visit) }),
    personPage({ method: 'POST', path: '/confirm', handle: (visit) => submitConfirm(deps, visit) }),
    personPage({ method: 'POST', path: '/confirm/passkey', handle: (visit) => submitConfirmPasskey(deps, visit) }),
    personPage({ method: 'GET', path: '/confirm/passkey', handle: async () => redirect('/console/confirm') }),
    openPage({ method: 'GET', path: '/reset', handle: (visit) => showReset(deps, visit) }),
    openPage({ method: 'POST', path: '/reset', handle: (visit) => submitReset(deps, visit) }),
    openPage({ method: 'GET', path: '/link/:token', handle: (visit) => showLink(deps, visit) }),
    openPage({ method: 'POST', path: '/link/:token', handle: (visit) => submitLink(deps, visit) }),
  ];
}
