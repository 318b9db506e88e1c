import { record } from '../../../tenants/audit/record.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import { type Environment, ENVIRONMENTS } from '../../../kit/environment.ts';
import { must } from '../../../kit/errors.ts';
import type { Queryable } from '../../../kit/sql.ts';
import { accountCallbackUrl } from '../../../providers/provider-accounts/callback-address.ts';
import { ACCOUNTS_CACHE_MS, ProviderDirectory } from '../../../providers/provider-accounts/directory.ts';
import type { AccountRow, Costs } from '../../../providers/provider-accounts/schema.ts';
import { addAccount, replaceCredentials } from '../../../providers/provider-accounts/service.ts';
import { findAccount, listAccounts, setActive } from '../../../providers/provider-accounts/store.ts';
import { CONNECTORS, connectorOf } from '../../../providers/adapters/catalogue.ts';
import type { Connector } from '../../../providers/adapters/connector.ts';
import type { FloatReading, Provider } from '../../../providers/adapters/contract.ts';
import { openSecrets } from '../../start/secrets.ts';
import { administer } from '../administer.ts';
import { withControl } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { environmentOfId } from '../ids.ts';
import { details, print, shortMoment, table } from '../output.ts';
import { checkTeam } from '../unknown.ts';
import { checkCredentials, type GivenCredentials, readCredentials, TOOLS } from './credentials.ts';

interface Output {
  json?: true;
}

interface AddOptions extends Output, GivenCredentials {
  team?: bigint;
  environment: Environment;
  name?: string;
  cost?: Costs;
}

/** Runs `pirogue providers add`. */
export async function addCommand(kind: string, options: AddOptions): Promise<void> {
  const connector = connectorOf(kind);
  if (!connector) throw new UsageFailure(`unknown provider "${kind}"`, `Use one of ${names(CONNECTORS)}.`);
  const credentials = await readCredentials(options);
  await checkCredentials(connector, options.environment, credentials);
  const config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  const { environment, name = connector.name, cost = null } = options;
  const row = await administer(async (tx, by) => {
    await checkTeam(tx, team_id);
    const at = commandClock.now();
    const secrets = await openSecrets(config, tx, new Date(at));
    const wanted = { team_id, environment, connector, name, credentials, costs: cost };
    const added = await addAccount(tx, secrets, wanted, new Date(at));
    if (added) await record(tx, by, { team_id, action: 'provider.create', resource_id: added.id, at });
    return added;
  });
  if (!row) throw new Failure(`the team has an account "${name}" in ${environment} already`, 'Choose another --name.');
  await untilKnown();
  const callback = accountCallbackUrl(config.public_url, row.id);
  print(options.json, { ...presented(row), callback_url: callback }, () =>
    [
      details({ account: row.id, provider: row.provider, name: row.name, environment, callbacks: callback }),
      '',
      `Enter the callback address above in the dashboard of ${connector.title}, where it has a field for one.`,
      `"pirogue providers test ${row.id}" tests the account at ${connector.title}.`,
    ].join('\n'),
  );
}

/** Runs `pirogue providers set`: replaces all credentials of an account. It does not read the present ones. */
export async function setCommand(id: string, options: Output & GivenCredentials): Promise<void> {
  checkId(id);
  const credentials = await readCredentials(options);
  const config = readConfig(process.env);
  const { row, connector } = await administer(async (tx, by) => {
    const account = await findAccount(tx, id);
    if (!account) throw noSuchAccount(id);
    const connector = connectorOf(account.provider);
    if (!connector) throw new Failure(`this version has no provider "${account.provider}"`, `It has ${names(CONNECTORS)}.`);
    await checkCredentials(connector, account.environment, credentials);
    const at = commandClock.now();
    const secrets = await openSecrets(config, tx, new Date(at));
    const row = must(await replaceCredentials(tx, secrets, account, credentials, new Date(at)), 'accounts are never deleted');
    await record(tx, by, { team_id: row.team_id, action: 'provider.update', resource_id: id, at });
    return { row, connector };
  });
  await untilKnown();
  print(options.json, presented(row), () =>
    [
      details({ account: row.id, provider: row.provider, name: row.name, environment: row.environment }),
      '',
      'The service uses the new credentials for all operations of the account, also for those that exist.',
      `"pirogue providers test ${row.id}" tests the account at ${connector.title}.`,
    ].join('\n'),
  );
}

/** Runs `pirogue providers list`. */
export async function listCommand(options: Output & { team?: bigint; environment?: Environment }): Promise<void> {
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const environments = options.environment ? [options.environment] : ENVIRONMENTS;
  const rows = await withControl(async (control) => {
    await checkTeam(control, team_id);
    const lists = await Promise.all(environments.map((environment) => listAccounts(control, team_id, environment)));
    return lists.flat();
  });
  print(options.json, rows.map(presented), () =>
    table(
      ['ID', 'PROVIDER', 'NAME', 'ENVIRONMENT', 'STATUS', 'ADDED'],
      rows.map((row) => [
        row.id,
        row.provider,
        row.name,
        row.environment,
        row.active ? 'active' : 'disabled',
        shortMoment(row.created_at),
      ]),
    ),
  );
}

/** Runs `pirogue providers kinds`. */
export async function kindsCommand(options: Output): Promise<void> {
  const kinds = CONNECTORS.map((connector) => ({
    provider: connector.name,
    title: connector.title,
    credentials: Object.entries(connector.credentials.properties).map(([name, schema]) => ({
      name,
      required: (connector.credentials.required ?? []).includes(name),
      description: (schema as { description?: string }).description ?? '',
    })),
  }));
  print(options.json, kinds, () =>
    kinds
      .map(({ provider, title, credentials }) =>
        [
          `${provider}  ${title}`,
          ...credentials.map(({ name, required, description }) => `  ${name}${required ? '' : ' (optional)'}: ${description}`),
        ].join('\n'),
      )
      .join('\n\n'),
  );
}

/** Runs `pirogue providers test`. */
export async function testCommand(id: string, options: Output): Promise<void> {
  const provider = await withControl((control) => connected(control, id));
  const reading = await provider.balance?.();
  const offers = provider.offers()?.map(({ channel, currency }) => `${channel} ${currency}`) ?? [];
  // Null: not tested, because the provider has no request that moves no money.
  const works = reading ? reading.kind !== 'unreadable' : null;
  print(options.json, { id, provider: provider.name, works, offers, balance: shown(reading) }, () =>
    details({
      account: id,
      provider: provider.name,
      answers: answerText(reading),
      offers: offers.join(', ') || 'nothing',
      ...(reading?.kind === 'held' ? { holds: shown(reading)?.join(', ') ?? '' } : {}),
    }),
  );
  process.exitCode = works === false ? 1 : 0;
}

/** Activates or deactivates an account for new operations. */
export async function switchCommand(id: string, active: boolean, options: Output): Promise<void> {
  checkId(id);
  const at = commandClock.now();
  const row = await administer(async (tx, by) => {
    const switched = await setActive(tx, id, active, new Date(at));
    const action = active ? 'provider.enable' : 'provider.disable';
    if (switched) await record(tx, by, { team_id: switched.team_id, action, resource_id: id, at });
    return switched;
  });
  if (!row) throw noSuchAccount(id);
  await untilKnown();
  print(options.json, presented(row), () =>
    active ? `${id} accepts new operations again.` : `${id} accepts no new operations. Existing operations are still followed.`,
  );
}

/**
 * Returns the provider as the service would create it, without a running service.
 * @throws Failure when there is no such account
 */
async function connected(control: Queryable, id: string): Promise<Provider> {
  checkId(id);
  const directory = new ProviderDirectory({
    control,
    secrets: await openSecrets(readConfig(process.env), control, new Date(commandClock.now())),
    tools: TOOLS,
    builtIn: {},
  });
  const found = await directory.addressed(id);
  if (!found) throw noSuchAccount(id);
  return found.provider;
}

/** Waits until every node has read the change: nodes cache their list of accounts for less than a second. */
function untilKnown(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ACCOUNTS_CACHE_MS + 100));
}

function checkId(id: string): void {
  environmentOfId('pa', id, 'an account', '"pirogue providers list" shows them.');
}

function noSuchAccount(id: string): Failure {
  return new Failure(`there is no usable account ${id}`, '"pirogue providers list" shows them.');
}

function names(connectors: readonly Connector[]): string {
  return connectors.map(({ name }) => name).join(', ');
}

function presented(row: AccountRow) {
  return { ...row, team_id: String(row.team_id) };
}

function answerText(reading: FloatReading | undefined): string {
  if (!reading) return 'has no request that moves no money';
  return reading.kind === 'unreadable' ? `no: ${reading.message}` : 'yes';
}

function shown(reading: FloatReading | undefined): string[] | null {
  if (reading?.kind !== 'held') return null;
  return reading.floats.map(({ currency, amount_minor, use }) => `${Number(amount_minor) / 100} ${currency} (${use})`);
}
