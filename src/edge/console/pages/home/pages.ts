import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { currenciesOf, periodOf } from './figures.ts';
import { readAttention, readBalance, readFigures } from './read.ts';
import { homeView } from './view.ts';

/** The first page of a team. */
export function homePages(deps: ConsoleDeps): ConsolePage[] {
  return [
    teamPage({
      method: 'GET',
      path: '',
      permission: 'payment.read',
      handle: async (visit) => {
        const period = periodOf(visit);
        const days = await readFigures(visit, period);
        const currencies = currenciesOf(visit, days);
        const [balance, attention] = await Promise.all([readBalance(visit, currencies.shown), readAttention(deps, visit, days)]);
        const own = days.filter(({ currency }) => currency === currencies.shown);
        return homeView(visit, { period, currencies, days: own, balance, attention });
      },
    }),
  ];
}
