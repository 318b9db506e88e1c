import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopbackHost } from '../src/kit/addresses.ts';
import type { Secrets } from '../src/kit/crypto.ts';
import { must } from '../src/kit/errors.ts';
import { newId } from '../src/kit/ids.ts';
import type { Tx } from '../src/kit/sql.ts';
import { type Config, readConfig } from '../src/platform/config/config.ts';
import { administer } from '../src/program/cli/administer.ts';
import { commandClock } from '../src/program/cli/command-clock.ts';
import { Failure } from '../src/program/cli/failure.ts';
import { type KeysFile, keysFilePath, readKeysFile } from '../src/program/start/demo.ts';
import { openSecrets } from '../src/program/start/secrets.ts';
import { connectorOf } from '../src/providers/adapters/catalogue.ts';
import { accountCallbackUrl } from '../src/providers/provider-accounts/callback-address.ts';
import { ACCOUNTS_CACHE_MS } from '../src/providers/provider-accounts/directory.ts';
import { addAccount } from '../src/providers/provider-accounts/service.ts';
import { credentialsPlace, type SealedAccountRow, sealedAccounts } from '../src/providers/provider-accounts/store.ts';
import { RULES_CACHE_MS } from '../src/providers/routing/rule-book.ts';
import type { RuleRow } from '../src/providers/routing/schema.ts';
import { insertRule, rulesOf } from '../src/providers/routing/store.ts';
import { summaryOf } from '../src/providers/routing/summary.ts';
import type { Actor } from '../src/tenants/audit/actor.ts';
import { record } from '../src/tenants/audit/record.ts';
import { untilChangeIsKnown } from '../src/tenants/keys/service.ts';
import { changeTeam, findTeam } from '../src/tenants/teams/store.ts';
import type { Simulator } from './kit/simulator.ts';

/** `npm run simulators -- --connect`: sets up the demo team for live payments through the simulators. */

const ENVIRONMENT = 'live';
/** Verification level without transaction limits. */
const LEVEL = 4;
const PRIORITY_STEP = 10;
const ANSWER_MS = 3_000;
/** Time for a request that is being routed, and for timers that fire early. */
const MARGIN_MS = 200;
const ELSEWHERE = 'left alone: it does not lead to this simulator';

/** Accounts by channel: the operator's own API first, then another provider that serves the channel. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'cm.mtn': ['mtn-momo', 'pawapay'],
  'cm.orange': ['orange-money-cm', 'pawapay'],
  'sn.wave': ['wave', 'pawapay'],
  'ke.mpesa': ['mpesa-daraja', 'flutterwave'],
};

/** One line of the report: an item, and what was done with it. */
type Step = readonly [what: string, done: string];

interface Connecting {
  tx: Tx;
  by: Actor;
  team_id: bigint;
  at: number;
}

/**
 * Verifies the demo team, and adds an account at each simulator and rules that order the accounts. Existing accounts and rules are
 * not changed, so it can run on every start.
 * @returns the report to print
 * @throws Failure unless this is the development service of this machine
 */
export async function connect(simulators: readonly Simulator[]): Promise<string> {
  const config = readConfig(process.env);
  const keys = await runningService(config);
  const steps = await administer(async (tx, by) => {
    const work: Connecting = { tx, by, team_id: BigInt(keys.team), at: commandClock.now() };
    const secrets = await openSecrets(config, tx, new Date(work.at));
    const verified = await verify(work);
    const accounts = await addAccounts(work, secrets, keys, simulators);
    return [verified, ...accounts.steps, ...(await addRules(work, accounts.ours))];
  });
  await Promise.all([untilChangeIsKnown(), sleep(Math.max(ACCOUNTS_CACHE_MS, RULES_CACHE_MS) + MARGIN_MS)]);
  return report(keys, steps);
}

/** Returns the keys of the service that runs on this machine. */
async function runningService(config: Config): Promise<KeysFile> {
  if (config.profile !== 'development') {
    throw new Failure('--connect works in development only', 'A production team has accounts at real providers.');
  }
  const keys = readKeysFile(config);
  if (!keys) throw new Failure(`there is no demo team: ${keysFilePath(config)} does not exist`, 'Run "npm start" first.');
  if (!isLoopbackHost(new URL(keys.base_url).hostname)) {
    throw new Failure(
      `--connect works with a service on this machine only, not ${keys.base_url}`,
      'Start it without PUBLIC_URL.',
    );
  }
  const health = await fetch(`${keys.base_url}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
  if (health?.ok) return keys;
  throw new Failure(`the service at ${keys.base_url} does not respond`, 'Run "npm start" in another terminal first.');
}

async function verify({ tx, by, team_id, at }: Connecting): Promise<Step> {
  const team = await findTeam(tx, team_id);
  if (!team) throw new Failure('keys.json is of another database', 'Run "npm start" with the settings of this terminal.');
  const what = `level ${LEVEL}, without transaction limits`;
  if (team.verification_level >= LEVEL) return [what, 'there already'];
  await changeTeam(tx, team_id, { verification_level: LEVEL });
  await record(tx, by, { team_id, action: 'team.verify', resource_id: String(team_id), at });
  return [what, 'verified'];
}

async function addAccounts(
  { tx, by, team_id, at }: Connecting,
  secrets: Secrets,
  keys: KeysFile,
  simulators: readonly Simulator[],
): Promise<{ steps: Step[]; ours: Set<string> }> {
  const known = new Map((await sealedAccounts(tx, team_id, ENVIRONMENT)).map((row) => [row.name, row]));
  const steps: Step[] = [];
  const ours = new Set<string>();
  for (const [place, simulator] of simulators.entries()) {
    const { name, credentials } = simulator;
    const there = known.get(name);
    if (there && !leadsTo(simulator, there, secrets)) {
      steps.push([`account ${name}`, ELSEWHERE]);
      continue;
    }
    const connector = must(connectorOf(name), 'each simulator is of a known provider');
    const wanted = { team_id, environment: ENVIRONMENT, connector, name, credentials, costs: null } as const;
    // Times differ by a millisecond, because without a rule accounts are tried in the order in which they were added.
    const account = there ?? must(await addAccount(tx, secrets, wanted, new Date(at + place)), 'the name is free');
    if (!there) await record(tx, by, { team_id, action: 'provider.create', resource_id: account.id, at });
    ours.add(name);
    // A merchant enters this address in the provider's dashboard.
    simulator.settings.set('callback_url', accountCallbackUrl(keys.base_url, account.id));
    const state = account.active ? 'there already' : 'there already, but disabled: "pirogue providers enable" uses it again';
    steps.push([`account ${name}  ${account.id}`, there ? state : 'added']);
  }
  return { steps, ours };
}

function leadsTo({ credentials }: Simulator, account: SealedAccountRow, secrets: Secrets): boolean {
  const known = JSON.parse(secrets.open(account.credentials_sealed, credentialsPlace(account))) as Record<string, string>;
  const names = new Set([...Object.keys(known), ...Object.keys(credentials)]);
  return [...names].every((name) => known[name] === credentials[name]);
}

/**
 * Adds the rules that do not exist yet.
 * @param ours names of the accounts at these simulators. A rule with any other account is not added.
 */
async function addRules({ tx, by, team_id, at }: Connecting, ours: ReadonlySet<string>): Promise<Step[]> {
  const known = await rulesOf(tx, team_id, ENVIRONMENT);
  const there = new Set(known.map(summaryOf));
  let priority = known.at(-1)?.priority ?? 0;
  const steps: Step[] = [];
  for (const [channel, order] of Object.entries(ORDERS)) {
    if (!order.every((name) => ours.has(name))) continue;
    const rule = { ...newRule(team_id, channel, order, at), priority: priority + PRIORITY_STEP };
    const what = `rule  ${summaryOf(rule)}`;
    if (there.has(summaryOf(rule))) {
      steps.push([what, 'there already']);
      continue;
    }
    priority = rule.priority;
    await insertRule(tx, rule);
    await record(tx, by, { team_id, action: 'rule.create', resource_id: rule.id, at });
    steps.push([what, 'added']);
  }
  return steps;
}

function newRule(team_id: bigint, channel: string, order: readonly string[], at: number): RuleRow {
  return {
    ...{ id: newId('rul', ENVIRONMENT, at), team_id, environment: ENVIRONMENT, priority: 0, operation: 'collect' },
    ...{ countries: [], channels: [channel], currencies: [], min_minor: null, max_minor: null },
    ...{ account_order: [...order], shares: null, least_cost: false, fallback: true, created_at: new Date(at) },
  };
}

function report({ base_url }: KeysFile, steps: readonly Step[]): string {
  const width = Math.max(...steps.map(([what]) => what.length));
  return [
    `Connected to the demo team of ${base_url}, live:`,
    ...steps.map(([what, done]) => `  ${what.padEnd(width)}  ${done}`),
    steps.some(([, done]) => done === ELSEWHERE)
      ? 'Accounts that lead elsewhere may move real money. If they lead to simulators on other ports, start these with the same --port-base.'
      : 'Its live key (live.secret in keys.json) now takes payments through the simulators.',
  ].join('\n');
}
