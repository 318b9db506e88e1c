import fs from 'node:fs';
import { text } from 'node:stream/consumers';
import { record } from '../../../tenants/audit/record.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import { type Environment, ENVIRONMENTS } from '../../../kit/environment.ts';
import { send } from '../../../kit/fetch.ts';
import { createLog } from '../../../kit/log.ts';
import type { Queryable } from '../../../kit/sql.ts';
import { accountCallbackUrl } from '../../../providers/provider-accounts/callback-address.ts';
import { ACCOUNTS_CACHE_MS, ProviderDirectory } from '../../../providers/provider-accounts/directory.ts';
import type { AccountRow, Costs } from '../../../providers/provider-accounts/schema.ts';
import { addAccount, faultsOf } from '../../../providers/provider-accounts/service.ts';
import { listAccounts, setActive } from '../../../providers/provider-accounts/store.ts';
import { CONNECTORS, connectorOf } from '../../../providers/adapters/catalogue.ts';
import type { Connector, Tools } from '../../../providers/adapters/connector.ts';
import type { Provider } from '../../../providers/adapters/contract.ts';
import { openSecrets } from '../../start/secrets.ts';
import { administer } from '../administer.ts';
import { withControl } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { environmentOfId } from '../ids.ts';
import { details, print, shortMoment, table } from '../output.ts';
import { checkTeam } from '../unknown.ts';

const TOOLS: Tools = { send, clock: commandClock, log: createLog({ level: 'silent', format: 'json' }) };

interface Output {
  json?: true;
}

interface AddOptions extends Output {
  team?: bigint;
  environment: Environment;
  name?: string;
  credentials?: string;
  set?: string[];
  setEnv?: string[];
  cost?: Costs;
}

/** Runs `pirogue providers add`. */
export async function addCommand(kind: string, options: AddOptions): Promise<void> {
  const connector = connectorOf(kind);
  if (!connector) throw new UsageFailure(`unknown provider "${kind}"`, `Use one of ${names(CONNECTORS)}.`);
  const credentials = {
    ...(await readCredentials(options.credentials)),
    ...readPairs(options.set ?? []),
    ...fromEnvironment(readPairs(options.setEnv ?? [])),
  };
  const faults = await faultsOf(connector, options.environment, credentials);
  if (faults.length > 0) throw new Failure(`invalid credentials: ${faults.join('; ')}`, askedFor(connector));
  tryOut(connector, options.environment, credentials);
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

/**
 * Connects with the credentials, so that a key with a valid format that cannot be used is reported now, not by the first payment.
 * @throws Failure
 */
function tryOut(connector: Connector, environment: Environment, credentials: Record<string, string>): void {
  try {
    connector.connect({ id: 'pa_tried_out', environment, credentials }, TOOLS);
  } catch {
    throw new Failure('the credentials have the right form but cannot be used', `A key may be damaged. ${askedFor(connector)}`);
  }
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
  const works = reading?.kind !== 'unreadable';
  print(options.json, { id, provider: provider.name, works, offers, balance: shown(reading) }, () =>
    details({
      account: id,
      provider: provider.name,
      answers: reading === undefined ? 'has no request that moves no money' : works ? 'yes' : `no: ${reading.message}`,
      offers: offers.join(', ') || 'nothing',
      ...(reading?.kind === 'held' ? { holds: shown(reading)?.join(', ') ?? '' } : {}),
    }),
  );
  process.exitCode = works ? 0 : 1;
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

async function readCredentials(file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const content = file === '-' ? await text(process.stdin) : readFile(file);
  return texts(parse(content));
}

function readFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    throw new Failure(`${file} cannot be read`, 'Give a file that holds a JSON object, or - for standard input.');
  }
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's message would quote the credentials.
    throw new Failure('the credentials are not JSON', 'They are an object such as {"api_token": "…"}.');
  }
}

function texts(value: unknown): Record<string, string> {
  const entries = value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : null;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    throw new Failure('the credentials are not an object of strings', 'They are an object such as {"api_token": "…"}.');
  }
  return Object.fromEntries(entries);
}

function readPairs(pairs: string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new UsageFailure(
          'a credential given with --set or --set-env has the form name=value',
          'For example --set api_token=….',
        );
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/**
 * Reads credentials from the environment.
 * @param variables maps the name of a credential to the name of its variable
 * @throws Failure when a variable is not set
 */
function fromEnvironment(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => {
      const value = process.env[variable];
      if (!value)
        throw new Failure(`${variable} is not set`, `--set-env ${name}=${variable} reads the credential from this variable.`);
      return [name, value];
    }),
  );
}

function askedFor(connector: Connector): string {
  return `${connector.title} needs ${Object.keys(connector.credentials.properties).join(', ')}: "pirogue providers kinds" describes them.`;
}

function names(connectors: readonly Connector[]): string {
  return connectors.map(({ name }) => name).join(', ');
}

function presented(row: AccountRow) {
  return { ...row, team_id: String(row.team_id) };
}

function shown(reading: Awaited<ReturnType<NonNullable<Provider['balance']>>> | undefined): string[] | null {
  if (reading?.kind !== 'held') return null;
  return reading.floats.map(({ currency, amount_minor, use }) => `${Number(amount_minor) / 100} ${currency} (${use})`);
}
