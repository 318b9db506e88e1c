import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Environment } from '../../kit/environment.ts';
import { invalid, notFound } from '../../kit/errors.ts';
import { isId, newId } from '../../kit/ids.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import type { AccountDeps } from './deps.ts';
import { allDetails, type Details, sentDetails } from './details.ts';
import { onboardingToken } from './onboarding.ts';
import { presentAccount } from './present.ts';
import type { AccountRow, ChangeAccountBody, CreateAccountBody, Verification } from './schema.ts';
import { type AccountRef, findAccount, holdAccount, insertAccount, lockAccount, updateAccount } from './store.ts';

const ONBOARDING_MS = 24 * 3_600_000;

/** Environment and time of a change of accounts. */
export interface AccountContext {
  environment: Environment;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * Creates an account and records `account.created`.
 * @throws Problem 422
 */
export async function createAccount(
  tx: Tx,
  context: AccountContext,
  team_id: bigint,
  body: CreateAccountBody,
): Promise<AccountRow> {
  const now = new Date(context.at);
  const row: AccountRow = {
    team_id,
    id: newId('acct', context.environment, context.at),
    ...allDetails(body),
    active: true,
    verification: 'pending',
    event_count: 1,
    created_at: now,
    updated_at: now,
  };
  await insertAccount(tx, row);
  await announce(tx, context, row, 'account.created');
  return row;
}

/**
 * Returns an account.
 * @throws Problem 404, the same for an unknown id, another team's and another environment's
 */
export async function getAccount(db: Queryable, environment: Environment, ref: AccountRef): Promise<AccountRow> {
  return known(isId('acct', environment, ref.id) ? await findAccount(db, ref) : undefined);
}

function known(row: AccountRow | undefined): AccountRow {
  if (!row) throw notFound('Account');
  return row;
}

function active(row: AccountRow): AccountRow {
  if (!row.active) throw invalid({ account: ['is not active'] });
  return row;
}

/**
 * Returns the account named by `X-Sync`.
 * @throws Problem 404 unknown, 422 `errors.account` not active
 */
export async function findActiveAccount(store: Store, team_id: bigint, id: string): Promise<AccountRow> {
  return active(await getAccount(store.db, store.environment, { team_id, id }));
}

/** Returns an active account like {@link findActiveAccount}. Until the caller's transaction ends, it stays active. */
export async function keepActive(tx: Tx, environment: Environment, ref: AccountRef): Promise<AccountRow> {
  return active(known(isId('acct', environment, ref.id) ? await holdAccount(tx, ref) : undefined));
}

/**
 * PATCH: absent fields keep their value.
 * @param verify throws to prevent the change of the account as it is under its lock
 * @throws Problem 404, 422
 */
export async function changeAccount(
  tx: Tx,
  context: AccountContext,
  ref: AccountRef,
  body: ChangeAccountBody,
  verify: (before: AccountRow) => void = () => undefined,
): Promise<AccountRow> {
  const before = await locked(tx, context, ref);
  verify(before);
  return save(tx, context, before, sentDetails(body));
}

/**
 * PUT: absent fields are reset to their default.
 * @throws Problem 404, 422
 */
export async function replaceAccount(
  tx: Tx,
  context: AccountContext,
  ref: AccountRef,
  body: CreateAccountBody,
): Promise<AccountRow> {
  return save(tx, context, await locked(tx, context, ref), allDetails(body));
}

/**
 * Activates or deactivates an account. An inactive account takes no new payments and payouts; existing ones continue. Idempotent.
 * @param verify throws to prevent the change of the account as it is under its lock
 * @throws Problem 404
 */
export async function setActive(
  tx: Tx,
  context: AccountContext,
  ref: AccountRef,
  active: boolean,
  verify: (before: AccountRow) => void = () => undefined,
): Promise<AccountRow> {
  const row = await locked(tx, context, ref);
  verify(row);
  return row.active === active ? row : save(tx, context, row, { active });
}

/**
 * Records the result of verifying the account's owner, with an audit entry.
 * @throws Problem 404
 */
export function setVerification(
  deps: Pick<AccountDeps, 'clock'>,
  store: Store,
  ref: AccountRef,
  verification: Verification,
  by: Actor,
): Promise<AccountRow> {
  const context = { environment: store.environment, at: deps.clock.now() };
  return store.db.transaction(async (tx) => {
    const row = await locked(tx, context, ref);
    await record(tx, by, { team_id: row.team_id, action: 'account.verify', resource_id: row.id, at: context.at });
    return row.verification === verification ? row : save(tx, context, row, { verification });
  });
}

/**
 * Returns an onboarding link, which opens the page for the account's owner and expires after 24 hours.
 * @throws Problem 404
 */
export async function onboardingLink(
  deps: Pick<AccountDeps, 'config' | 'secrets'>,
  store: Store,
  ref: AccountRef,
  at: number,
): Promise<{ url: string; expires_at: string }> {
  const { team_id, id } = await getAccount(store.db, store.environment, ref);
  const expires_at = at + ONBOARDING_MS;
  const token = onboardingToken(deps.secrets, { environment: store.environment, team_id, account_id: id, expires_at });
  return { url: `${deps.config.public_url}/onboarding/${token}`, expires_at: new Date(expires_at).toISOString() };
}

async function locked(tx: Tx, { environment }: AccountContext, ref: AccountRef): Promise<AccountRow> {
  const row = isId('acct', environment, ref.id) ? await lockAccount(tx, ref) : undefined;
  if (!row) throw notFound('Account');
  return row;
}

type Changes = Partial<Details & Pick<AccountRow, 'active' | 'verification'>>;

async function save(tx: Tx, context: AccountContext, before: AccountRow, changes: Changes): Promise<AccountRow> {
  const row = { ...before, ...changes, event_count: before.event_count + 1, updated_at: new Date(context.at) };
  await updateAccount(tx, row);
  await announce(tx, context, row, 'account.updated');
  return row;
}

async function announce(
  tx: Tx,
  { environment, at }: AccountContext,
  row: AccountRow,
  type: `account.${'created' | 'updated'}`,
): Promise<void> {
  await recordEvents(tx, environment, at, [
    {
      team_id: row.team_id,
      type,
      resource_id: row.id,
      sequence: row.event_count,
      data: presentAccount(environment, row),
    },
  ]);
}
