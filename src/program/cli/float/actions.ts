import { type Config, readConfig } from '../../../platform/config/config.ts';
import type { PollRow } from '../../../providers/float/schema.ts';
import { setAlert, type ShownFloat, teamFloats } from '../../../providers/float/service.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import type { Db } from '../../../kit/sql.ts';
import type { AccountRow } from '../../../providers/provider-accounts/schema.ts';
import { findAccount, listAccounts } from '../../../providers/provider-accounts/store.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure } from '../failure.ts';
import { environmentOfId } from '../ids.ts';
import { requireMigrations } from '../migrations.ts';
import { operator } from '../operator.ts';
import { checkTeam } from '../unknown.ts';
import { amountText, moneyText } from '../format.ts';
import { details, type Heading, print, shortMoment, table } from '../output.ts';

interface Output {
  json?: true;
}

/** Runs `pirogue float list`. */
export async function listCommand(options: Output & { team?: bigint; environment: Environment }): Promise<void> {
  const config = readConfig(process.env);
  const { environment, team: team_id = demoTeamId(config), json } = options;
  const { accounts, floats, polls } = await withStores(config, environment, async (control, store) => {
    await checkTeam(control, team_id);
    const accounts = await listAccounts(control, team_id, environment);
    return { accounts, ...(await teamFloats(store, team_id, commandClock.now())) };
  });
  const shown = accounts.map((account) => shownAccount(account, floats, polls));
  print(json, shown, () => table(HEADINGS, shown.flatMap(lines)));
}

const HEADINGS: readonly Heading[] = [
  ...['ACCOUNT', 'NAME', 'CURRENCY', 'AREA', 'USE'],
  ...[{ title: 'HOLDS', align: 'right' } as const, { title: 'ALERT BELOW', align: 'right' } as const],
  ...['LEVEL', 'ASKED'],
];

function shownAccount({ id, provider, name, active }: AccountRow, floats: readonly ShownFloat[], polls: readonly PollRow[]) {
  const poll = polls.find(({ account_id }) => account_id === id);
  return {
    ...{ account: id, provider, name, active },
    asked_at: poll?.asked_at ?? null,
    read_at: poll?.read_at ?? null,
    error: poll?.error ?? null,
    floats: floats
      .filter(({ account_id }) => account_id === id)
      .map(({ currency, area, use, amount_minor, below_minor, level, read_at }) => ({
        ...{ currency, area: area || null, use, amount: wireFromMinor(amount_minor) },
        alert_below: below_minor === null ? null : wireFromMinor(below_minor),
        ...{ level, read_at },
      })),
  };
}

function lines({ account, name, asked_at, error, floats }: ReturnType<typeof shownAccount>): string[][] {
  if (floats.length === 0) {
    return [[account, name, '', '', '', error === null ? 'unknown' : `no response: ${error}`, '', '', shortMoment(asked_at)]];
  }
  return floats.map(({ currency, area, use, amount, alert_below, level, read_at }) => [
    ...[account, name, currency, area ?? '', use, amountText(amount, currency)],
    ...[alert_below === null ? '' : amountText(alert_below, currency), level, shortMoment(read_at)],
  ]);
}

interface SetOptions extends Output {
  currency: string;
  alertBelow: bigint | 'off';
  area?: string;
}

/** Runs `pirogue float set`. */
export async function setCommand(id: string, options: SetOptions): Promise<void> {
  const environment = environmentOfId('pa', id, 'an account', '"pirogue providers list" shows them.');
  const { currency, alertBelow, area = '', json } = options;
  const below_minor = alertBelow === 'off' ? null : alertBelow;
  const changed = await withStores(readConfig(process.env), environment, async (control, store) => {
    const account = await findAccount(control, id);
    if (!account) throw noSuchAccount(id);
    const watch = { team_id: account.team_id, account_id: id, currency, area };
    return setAlert(store, watch, below_minor, operator(), commandClock.now());
  });
  if (!changed) throw new Failure(`no alert is set for ${currency} of ${id}`, '"pirogue float list" shows the monitored floats.');
  const alert_below = below_minor === null ? null : wireFromMinor(below_minor);
  print(json, { account: id, currency, area: area || null, alert_below }, () =>
    details({
      account: id,
      currency,
      ...(area ? { area } : {}),
      'alert below': alert_below === null ? 'off' : moneyText(alert_below, currency),
    }),
  );
}

function withStores<T>(config: Config, environment: Environment, work: (control: Db, store: Db) => Promise<T>): Promise<T> {
  return withDatabases(config, (urls) =>
    withPool(urls.control, (control) =>
      withPool(urls[environment], async (store) => {
        await requireMigrations(store, environment);
        return work(control, store);
      }),
    ),
  );
}

function noSuchAccount(id: string): Failure {
  return new Failure(`there is no account ${id}`, '"pirogue providers list" shows them.');
}
