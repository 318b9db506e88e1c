import { notFound } from '../../../../kit/errors.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { CONSOLE_LANGUAGES } from '../../language.ts';
import { type ConsolePage, fieldOf, openPage, type PersonVisit, personPage, redirect } from '../../page.ts';
import { ownPath } from '../../paths.ts';
import { noTeams } from './views.ts';

/** The pages that belong to no section: the entry page, and the choice of a language. */
export function generalPages(_deps: ConsoleDeps): ConsolePage[] {
  return [
    personPage({ method: 'GET', path: '/', handle: async (visit) => enter(visit) }),
    openPage({
      method: 'POST',
      path: '/language',
      handle: async (visit) => {
        const language = CONSOLE_LANGUAGES.find((known) => known === fieldOf(visit, 'language'));
        if (!language) throw notFound();
        return redirect(ownPath(fieldOf(visit, 'to')), { language });
      },
    }),
  ];
}

/** Redirects to the first team of the person, in the sandbox, where mistakes cost nothing. */
function enter(visit: PersonVisit) {
  const [first] = visit.session.memberships;
  return first ? redirect(`/console/${first.team_id}/sandbox`) : noTeams(visit);
}
