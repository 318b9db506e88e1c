import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { paymentListeners } from '../../listeners.ts';
import { openReturnsOf, resolveReturn, retryReturn } from '../../../core/returns/resolve.ts';
import type { ResolvedAs, ReturnRow } from '../../../core/obligations/schema.ts';
import { withDatabases, withPool } from '../databases.ts';
import { environmentOfId } from '../ids.ts';
import { inStore } from '../in-store.ts';
import { operator } from '../operator.ts';
import { moneyText } from '../format.ts';
import { details, firstOf, print, shortMoment, table } from '../output.ts';

interface Output {
  json?: true;
}

/** Runs `pirogue returns list`. */
export async function listCommand(options: Output & { team?: bigint; environment: Environment; limit: number }): Promise<void> {
  const { team = null, environment, limit, json } = options;
  const config = readConfig(process.env);
  const rows = await withDatabases(config, (urls) => withPool(urls[environment], (db) => openReturnsOf(db, team, limit + 1)));
  const listed = firstOf(rows, limit, 'oldest');
  print(json, listed.map(shown), () =>
    table(
      ['RETURN', 'TEAM', 'PAYMENT', { title: 'AMOUNT', align: 'right' }, 'STATE', 'SINCE', 'WHY'],
      listed.map((row) => [
        ...[row.id, String(row.team_id), row.payment_id, moneyText(row.amount_minor, row.currency), row.state],
        ...[shortMoment(row.waiting_since ?? row.created_at), row.note ?? ''],
      ]),
    ),
  );
  if (listed.some(({ state }) => state === 'waiting' || state === 'overpaid')) process.exitCode = 1;
}

interface ResolveOptions extends Output {
  as: ResolvedAs;
  evidence: string;
  author?: string;
  team?: bigint;
}

/** Resolves a return manually. The decision is final, and is printed with what it changed. */
export async function resolveCommand(id: string, options: ResolveOptions): Promise<void> {
  const verdict = { as: options.as, evidence: options.evidence, author: options.author ?? operator().id };
  const row = await inStore(environmentOf(id), options, (store, team_id) =>
    resolveReturn(deps(), store, { team_id, id }, verdict, operator()),
  );
  print(options.json, { ...shown(row), ...verdict }, () =>
    details({ resolved: row.id, as: verdict.as, by: verdict.author, ...lines(row) }),
  );
}

/** Runs `pirogue returns retry`. */
export async function retryCommand(id: string, options: Output & { team?: bigint }): Promise<void> {
  const row = await inStore(environmentOf(id), options, (store, team_id) =>
    retryReturn(deps(), store, { team_id, id }, operator()),
  );
  print(options.json, shown(row), () => details({ retried: row.id, ...lines(row) }));
}

function deps() {
  return { clock: commandClock, listeners: paymentListeners(null) };
}

function environmentOf(id: string): Environment {
  return environmentOfId('rtn', id, 'a return', 'Use the rtn_… of "pirogue returns list".');
}

function lines(row: ReturnRow): Record<string, string> {
  return { payment: row.payment_id, amount: moneyText(row.amount_minor, row.currency), state: row.state };
}

function shown(row: ReturnRow) {
  const { id, payment_id, attempt_id, amount_minor, currency, state, note, waiting_since, created_at } = row;
  return {
    ...{ id, team: String(row.team_id), payment: payment_id, attempt: attempt_id, amount: wireFromMinor(amount_minor), currency },
    ...{ state, why: note, refunds: [row.refund_id, row.payout_id, row.manual_id].filter((one) => one !== null) },
    ...{ waiting_since, created_at },
  };
}
