import { Type } from 'typebox';
import { recordCall, recorded } from '../../tenants/audit/record.ts';
import { once } from '../../tenants/api/idempotency.ts';
import { type Call, type Reply, type Route, route } from '../../tenants/api/route.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { Problem } from '../../kit/errors.ts';
import { idPrefix } from '../../kit/ids.ts';
import { Cursors, listMeta, pageOf, type PagingQuery } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { Tx } from '../../kit/sql.ts';
import type { AccountDeps } from './deps.ts';
import { checkDetails } from './details.ts';
import { presentAccount, publicAccount } from './present.ts';
import {
  accountReply,
  type AccountRow,
  type ChangeAccountBody,
  changeAccountBody,
  createAccountBody,
  listAccountsQuery,
  onboardingReply,
} from './schema.ts';
import {
  type AccountContext,
  changeAccount,
  createAccount,
  getAccount,
  onboardingLink,
  replaceAccount,
  setActive,
} from './service.ts';
import { type AccountRef, countAccounts, listAccounts } from './store.ts';

const READ = { access: 'public', scope: 'account.read' } as const;
const WRITE = { access: 'public', scope: 'account.write' } as const;
/**
 * Operations that decide where money goes, or issue a link to the account. Public keys, which are in page source, are
 * rejected.
 */
const MANAGE = { access: 'private', scope: 'account.write' } as const;

const one = envelopeSchema({ account: accountReply });

type RouteDeps = Pick<AccountDeps, 'config' | 'secrets'>;

/** Routes of accounts, each under both names. */
export function accountRoutes(deps: RouteDeps): Route[] {
  const totals = new ListTotals('acct');
  return ['/accounts', '/subaccounts'].flatMap((base) => [...crud(deps, totals, base), ...management(deps, base)]);
}

function crud(deps: RouteDeps, totals: ListTotals, base: string): Route[] {
  return [
    route({
      ...READ,
      method: 'GET',
      path: base,
      summary: 'List accounts',
      description: 'Newest first.',
      query: listAccountsQuery,
      replies: { 200: envelopeSchema({ items: Type.Array(accountReply), meta: listMeta }) },
      handle: (call) => listed(deps, totals, call),
    }),
    route({
      ...WRITE,
      method: 'POST',
      path: base,
      summary: 'Create an account',
      description:
        'Connects a seller whose payments are split with the platform. `split` and `settlement` determine where money goes: ' +
        'they need a private key.',
      idempotent: true,
      problems: ['private_key_required'],
      body: createAccountBody,
      check: checkDetails,
      replies: { 201: one },
      handle: (call) => {
        refuseMoney(call);
        return writing(call, (tx, context) =>
          once(tx, call as Call, 'POST /accounts', async () => {
            const made = createAccount(tx, context, call.caller.team.id, call.body);
            return reply(call, 201, 'Account created', await recorded(tx, call, 'account.create', made));
          }),
        );
      },
    }),
    route({
      ...READ,
      method: 'GET',
      path: `${base}/:id`,
      summary: 'Retrieve an account',
      description: 'A public key sees neither contact details of the owner nor the payout destination.',
      problems: ['account_not_found'],
      replies: { 200: one },
      handle: async (call) => {
        const { db, environment } = call.caller.store;
        return reply(call, 200, 'Account retrieved', await getAccount(db, environment, refOf(call)));
      },
    }),
    route({
      ...WRITE,
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Change an account',
      description:
        'Omitted fields stay unchanged. `split` and `settlement` need a private key; existing payments keep the split they ' +
        'were created with.',
      problems: ['account_not_found', 'private_key_required'],
      body: changeAccountBody,
      check: checkDetails,
      replies: { 200: one },
      handle: (call) => {
        refuseMoney(call);
        return changed(call);
      },
    }),
  ];
}

const SWITCHED = {
  deactivate: 'No payments and no payouts can be created for it any more; existing ones continue.',
  reactivate: 'Payments and payouts can be created for it again.',
};

function management(deps: RouteDeps, base: string): Route[] {
  const switching = (action: 'deactivate' | 'reactivate') =>
    route({
      ...MANAGE,
      method: 'POST',
      path: `${base}/:id/${action}`,
      replies: { 200: one },
      summary: action === 'reactivate' ? 'Reactivate an account' : 'Deactivate an account',
      description: SWITCHED[action],
      problems: ['account_not_found'],
      handle: (call) =>
        writing(call, async (tx, context) => {
          const switched = setActive(tx, context, refOf(call), action === 'reactivate', seenBy(call));
          return reply(call, 200, `Account ${action}d`, await recorded(tx, call, `account.${action}`, switched));
        }),
    });
  return [
    route({
      // PUT replaces split and settlement too: it resets those that are left out.
      ...MANAGE,
      method: 'PUT',
      path: `${base}/:id`,
      summary: 'Replace an account',
      description: 'Omitted fields are reset to their defaults, `split` and `settlement` too.',
      problems: ['account_not_found'],
      body: createAccountBody,
      check: checkDetails,
      replies: { 200: one },
      handle: (call) =>
        writing(call, async (tx, context) => {
          const changed = replaceAccount(tx, context, refOf(call), call.body);
          return reply(call, 200, 'Account updated', await recorded(tx, call, 'account.update', changed));
        }),
    }),
    switching('deactivate'),
    switching('reactivate'),
    route({
      ...MANAGE,
      method: 'POST',
      path: `${base}/:id/onboarding`,
      summary: 'Create an onboarding link for an account',
      description:
        'A link for the owner of the account, which shows the submitted details and the verification status. It expires.',
      operation_id: base === '/accounts' ? 'createAccountOnboarding' : 'createSubaccountOnboarding',
      problems: ['account_not_found'],
      replies: { 201: envelopeSchema({ onboarding: onboardingReply }) },
      handle: async (call) => {
        const { store } = call.caller;
        const onboarding = await onboardingLink(deps, store, refOf(call), call.at);
        await store.db.transaction((tx) => recordCall(tx, call, 'account.onboard', refOf(call).id));
        return { code: 201, message: 'Onboarding link created', body: { onboarding } };
      },
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

/**
 * Rejects changes of the split or the settlement by a public key, which must not redirect money.
 * @throws Problem 406
 */
function refuseMoney(call: Call<ChangeAccountBody, unknown>): void {
  const { split, settlement } = call.body;
  if (call.caller.kind === 'public' && (split !== undefined || settlement !== undefined))
    throw new Problem(406, 'Private Key Required');
}

function writing(call: AnyCall, work: (tx: Tx, context: AccountContext) => Promise<Reply>): Promise<Reply> {
  const { db, environment } = call.caller.store;
  return db.transaction((tx) => work(tx, { environment, at: call.at }));
}

/** Returns the checks of an account under its lock that came with the call. */
function seenBy(call: AnyCall): (before: AccountRow) => void {
  return (before) => {
    call.verifyDestination?.(before);
    call.verifySeen?.(presentAccount(call.caller.store.environment, before));
  };
}

function refOf(call: AnyCall): AccountRef {
  return { team_id: call.caller.team.id, id: call.params.id as string };
}

function shown(call: AnyCall, row: AccountRow): object {
  return (call.caller.kind === 'public' ? publicAccount : presentAccount)(call.caller.store.environment, row);
}

function reply(call: AnyCall, code: number, message: string, row: AccountRow): Reply {
  return { code, message, body: { account: shown(call, row) } };
}

/** Changes an account. */
function changed(call: Call<ChangeAccountBody, unknown>): Promise<Reply> {
  return writing(call, (tx, context) =>
    once(tx, call as Call, 'PATCH /accounts/:id', async () => {
      const account = changeAccount(tx, context, refOf(call), call.body, seenBy(call as AnyCall));
      return reply(call, 200, 'Account updated', await recorded(tx, call, 'account.update', account));
    }),
  );
}

async function listed(deps: RouteDeps, totals: ListTotals, call: Call<unknown, PagingQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  const cursors = new Cursors(deps.secrets, `accounts:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const rows = await listAccounts(db, team.id, position);
  const { items, meta } = await pageOf(cursors, position, rows, idPrefix('acct', environment), () =>
    totals.of(`${team.id}`, call, (ids) => countAccounts(db, team.id, ids)),
  );
  return { code: 200, message: 'Accounts retrieved', body: { items: items.map((row) => shown(call, row)), meta } };
}
