import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, personPage } from '../../page.ts';
import { showCodes, submitCodes, submitCodesOff, submitRecovery } from './codes.ts';
import { endSession, saveProfile, showAccount } from './overview.ts';
import { showPasskeys, submitPasskeyNew, submitPasskeyRemoval } from './passkeys.ts';
import { showPassword, submitNewPassword } from './password.ts';

/** The pages of a person's own account. Every change of how they sign in needs a fresh factor. */
export function accountPages(deps: ConsoleDeps): ConsolePage[] {
  const fresh = { fresh: true } as const;
  return [
    personPage({ method: 'GET', path: '/account', handle: (visit) => showAccount(deps, visit) }),
    personPage({ method: 'POST', path: '/account/profile', handle: (visit) => saveProfile(deps, visit) }),
    personPage({ method: 'POST', path: '/account/sessions', handle: (visit) => endSession(deps, visit) }),
    personPage({ method: 'GET', path: '/account/password', ...fresh, handle: (visit) => showPassword(visit) }),
    personPage({ method: 'POST', path: '/account/password', ...fresh, handle: (visit) => submitNewPassword(deps, visit) }),
    personPage({ method: 'GET', path: '/account/codes', ...fresh, handle: (visit) => showCodes(deps, visit) }),
    personPage({ method: 'POST', path: '/account/codes', ...fresh, handle: (visit) => submitCodes(deps, visit) }),
    personPage({ method: 'POST', path: '/account/codes/off', ...fresh, handle: (visit) => submitCodesOff(deps, visit) }),
    personPage({ method: 'POST', path: '/account/recovery', ...fresh, handle: (visit) => submitRecovery(deps, visit) }),
    personPage({ method: 'GET', path: '/account/passkeys', ...fresh, handle: (visit) => showPasskeys(deps, visit) }),
    personPage({ method: 'POST', path: '/account/passkeys', ...fresh, handle: (visit) => submitPasskeyNew(deps, visit) }),
    personPage({
      method: 'POST',
      path: '/account/passkeys/remove',
      ...fresh,
      handle: (visit) => submitPasskeyRemoval(deps, visit),
    }),
  ];
}
