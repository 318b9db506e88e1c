import type { Store } from '../../platform/db/stores.ts';
import { writeMailInTurn } from '../../tenants/outbox/service.ts';
import type { FloatReading, Provider } from '../adapters/contract.ts';
import type { Tx } from '../../kit/sql.ts';
import type { FloatDeps } from './deps.ts';
import { alertOf, levelOf } from './level.ts';
import type { AlertRow, FloatRow } from './schema.ts';
import { type AccountRef, alertsOf, writeFloats, writePollError } from './store.ts';

type PollDeps = Pick<FloatDeps, 'clock' | 'log' | 'providers'>;

/** Enough for two calls and a token of the slowest provider. A later result is discarded. */
const DEADLINE_MS = 20_000;
const ALERT_REST_MS = 3_600_000;
/** Maximum number of wallets of one account, far above any real number of currencies and countries. */
const MAX_FLOATS = 200;
/** Far beyond any real float, and within the range of the column. */
const MAX_MINOR = 10n ** 17n;

/**
 * Reads the balances of one account and stores them. An account that no longer exists or has no balance API is
 * skipped; its last known balances become stale.
 */
export async function pollFloat(deps: PollDeps, store: Store, ref: AccountRef): Promise<void> {
  const listed = await deps.providers.of(store.environment, ref.team_id);
  const found = listed.find(({ provider }) => provider.account_id === ref.account_id);
  if (!found?.provider.balance) return;
  const at = deps.clock.now();
  const reading = await readFloats(found.provider);
  if (reading.kind === 'unreadable') return writePollError(store.db, ref, reading.message);
  const rows = rowsOf(ref, reading, new Date(at));
  await store.db.transaction(async (tx) => {
    await writeFloats(tx, ref, rows, new Date(at));
    await raise(tx, ref, { provider: found.provider.name, name: found.name }, rows, at);
  });
}

async function readFloats(provider: Provider): Promise<FloatReading> {
  const late = Promise.withResolvers<FloatReading>();
  const timer = setTimeout(() => late.resolve({ kind: 'unreadable', message: 'no answer in time' }), DEADLINE_MS);
  try {
    return await Promise.race([provider.balance?.() ?? late.promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the rows to store. Wallets with the same currency, area and use are combined. */
function rowsOf(ref: AccountRef, { floats }: Extract<FloatReading, { kind: 'held' }>, read_at: Date): FloatRow[] {
  const rows = new Map<string, FloatRow>();
  for (const { currency, amount_minor, use, area = '' } of floats.slice(0, MAX_FLOATS)) {
    const magnitude = amount_minor < 0n ? -amount_minor : amount_minor;
    if (!/^[A-Z]{3}$/.test(currency) || magnitude > MAX_MINOR) continue;
    const name = `${currency} ${area} ${use}`;
    const held = rows.get(name)?.amount_minor ?? 0n;
    rows.set(name, { ...ref, currency, area, use, amount_minor: held + amount_minor, read_at });
  }
  return [...rows.values()];
}

/** Sends at most one e-mail an hour for each account and level. It lists every wallet that has reached the level. */
async function raise(
  tx: Tx,
  ref: AccountRef,
  account: { provider: string; name: string },
  rows: readonly FloatRow[],
  at: number,
): Promise<void> {
  const alerts = await alertsOf(tx, ref.team_id, ref.account_id);
  for (const level of ['low', 'empty'] as const) {
    const floats = rows.flatMap((row) => {
      const alert = alertOf(row, alerts);
      return alert && levelOf(row, alert, at) === level ? [purseOf(row, alert)] : [];
    });
    if (floats.length === 0) continue;
    const facts = { account: ref.account_id, ...account, level, purses: floats };
    await writeMailInTurn(
      tx,
      { team_id: ref.team_id, kind: 'float_low', facts },
      `float ${ref.account_id} ${level}`,
      ALERT_REST_MS,
    );
  }
}

function purseOf({ currency, area, amount_minor }: FloatRow, { below_minor }: AlertRow) {
  return { currency, area, amount_minor: String(amount_minor), below_minor: String(below_minor) };
}
