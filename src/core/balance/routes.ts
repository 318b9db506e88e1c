import { getAccount } from '../accounts/service.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { type BalanceCache, MemoryBalanceCache } from './cache.ts';
import type { BalanceDeps } from './deps.ts';
import { historyLister } from './history.ts';
import { type BalanceQuery, balanceQuery, balanceReply, historyQuery, historyReply } from './schema.ts';
import { readBalance } from './service.ts';

const READ = { access: 'private', scope: 'balance.read' } as const;

/** The routes of the balance: current figures and history. */
export function balanceRoutes(deps: BalanceDeps): Route[] {
  const cache = new MemoryBalanceCache(deps.clock);
  return [
    route({
      ...READ,
      method: 'GET',
      path: '/balance',
      summary: 'Read the balance',
      description:
        'Eight figures in one currency, at the top level and under `balance`. At most 3 minutes old. With `X-Sync`: those ' +
        'of a connected account.',
      operation_id: 'retrieveBalance',
      sync: true,
      problems: ['account_not_found'],
      query: balanceQuery,
      replies: { 200: balanceReply },
      handle: (call) => read(cache, call),
    }),
    route({
      ...READ,
      method: 'GET',
      path: '/balance/history',
      summary: 'List changes of the balance',
      description: 'One entry for each change of one bucket, newest first. The entries of a bucket add up to its figure.',
      sync: true,
      problems: ['account_not_found'],
      query: historyQuery,
      replies: { 200: historyReply },
      handle: historyLister(deps),
    }),
  ];
}

async function read(cache: BalanceCache, { caller, query, sync }: Call<unknown, BalanceQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = caller;
  const currency = query.currency ?? team.default_currency;
  const key = { environment, team_id: team.id, currency, account_id: sync };
  const balance = await cache.get(key, async () => {
    if (sync !== null) await getAccount(db, environment, { team_id: team.id, id: sync });
    return readBalance(db, team.id, currency, sync);
  });
  return { code: 200, message: 'Balance retrieved', body: { ...balance, balance } };
}
