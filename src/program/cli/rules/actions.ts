import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { record } from '../../../tenants/audit/record.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import { type Environment, ENVIRONMENTS } from '../../../kit/environment.ts';
import { must } from '../../../kit/errors.ts';
import { send } from '../../../kit/fetch.ts';
import { isId, newId } from '../../../kit/ids.ts';
import { createLog } from '../../../kit/log.ts';
import { type Minor, wireFromMinor } from '../../../kit/money.ts';
import type { Queryable } from '../../../kit/sql.ts';
import { ProviderDirectory } from '../../../providers/provider-accounts/directory.ts';
import { listAccounts } from '../../../providers/provider-accounts/store.ts';
import { sandboxProvider } from '../../../providers/adapters/sandbox/index.ts';
import { channelById, limitsOf } from '../../../providers/reference/channels.ts';
import { explain } from '../../../providers/routing/explain.ts';
import { Health } from '../../../providers/routing/health.ts';
import { Router } from '../../../providers/routing/router.ts';
import { RuleBook, RULES_CACHE_MS } from '../../../providers/routing/rule-book.ts';
import { BUILT_IN, type Operation, type RuleRow, type Weight } from '../../../providers/routing/schema.ts';
import { deleteRule, insertRule, rulesOf } from '../../../providers/routing/store.ts';
import { summaryOf } from '../../../providers/routing/summary.ts';
import { openSecrets } from '../../start/secrets.ts';
import { administer } from '../administer.ts';
import { withControl } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { print, table } from '../output.ts';
import { checkTeam } from '../unknown.ts';

/** Distance between rules without an explicit priority, so that others fit in between. */
const PRIORITY_STEP = 10;
/** Margin for a request that is being routed, and for timers that fire early. */
const MARGIN_MS = 200;

interface Output {
  json?: true;
}

interface AddOptions extends Output {
  team?: bigint;
  environment: Environment;
  priority?: number;
  operation?: Operation;
  country?: string[];
  channel?: string[];
  currency?: string[];
  min?: Minor;
  max?: Minor;
  order?: string[];
  share?: Weight[];
  leastCost?: true;
  fallback: boolean;
}

/** Runs `pirogue rules add`. */
export async function addRuleCommand(options: AddOptions, command: Command): Promise<void> {
  checkTogether(options, command);
  const { environment } = options;
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const rule = await administer(async (tx, by) => {
    await checkTeam(tx, team_id);
    await checkNames(tx, team_id, environment, options.order ?? options.share?.map(({ name }) => name) ?? []);
    const last = (await rulesOf(tx, team_id, environment)).at(-1)?.priority ?? 0;
    const added = ruleFrom(options, team_id, options.priority ?? last + PRIORITY_STEP);
    await insertRule(tx, added);
    await record(tx, by, { team_id, action: 'rule.create', resource_id: added.id, at: added.created_at.getTime() });
    return added;
  });
  await untilKnown();
  print(options.json, presented(rule), () => `${rule.id} (${environment}, priority ${rule.priority}): ${summaryOf(rule)}`);
}

/** Runs `pirogue rules list`. */
export async function listRulesCommand(options: Output & { team?: bigint; environment?: Environment }): Promise<void> {
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const rules = await withControl(async (control) => {
    await checkTeam(control, team_id);
    return rulesOf(control, team_id, options.environment);
  });
  print(options.json, rules.map(presented), () =>
    table(
      ['ID', 'ENVIRONMENT', 'PRIORITY', 'RULE'],
      rules.map((rule) => [rule.id, rule.environment, String(rule.priority), summaryOf(rule)]),
    ),
  );
}

/** Runs `pirogue rules remove`. */
export async function removeRuleCommand(id: string, options: Output, command: Command): Promise<void> {
  if (!ENVIRONMENTS.some((environment) => isId('rul', environment, id))) {
    command.error('error: not the id of a rule (rul_… or rul_test_…): "pirogue rules list" shows them');
  }
  const rule = await administer(async (tx, by) => {
    const removed = await deleteRule(tx, id);
    const at = commandClock.now();
    if (removed) await record(tx, by, { team_id: removed.team_id, action: 'rule.delete', resource_id: id, at });
    return removed;
  });
  if (!rule) throw new Failure(`there is no rule ${id}`, '"pirogue rules list" shows them.');
  await untilKnown();
  print(options.json, presented(rule), () => `${id} is removed: no node applies it any more.`);
}

interface TestOptions extends Output {
  team?: bigint;
  environment: Environment;
  operation: Operation;
  channel: string;
  currency: string;
  amount: Minor;
}

/** Shows the routing decision of the service. It ignores the health of providers, which exists only in the running service. */
export async function testRulesCommand(options: TestOptions): Promise<void> {
  const { environment, operation, currency, amount } = options;
  const channel = must(channelById(options.channel), 'the option was checked');
  if (!limitsOf(channel, currency)) {
    throw new UsageFailure(`${channel.id} does not support ${currency}`, `It supports ${channel.currencies.join(', ')}.`);
  }
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const { explanation } = await withControl(async (control) => {
    await checkTeam(control, team_id);
    return (await routerOf(control)).choose({ environment, team_id, operation, channel, currency, amount_minor: amount });
  });
  print(options.json, explanation, () =>
    [...explain(explanation), 'Every account counts as healthy here: only the running service knows their health.'].join('\n'),
  );
}

/** Returns the router of the service, without a running service. */
async function routerOf(control: Queryable): Promise<Router> {
  const config = readConfig(process.env);
  const clock = commandClock;
  const providers = new ProviderDirectory({
    control,
    secrets: await openSecrets(config, control, new Date(clock.now())),
    tools: { send, clock, log: createLog({ level: 'silent', format: 'json' }) },
    builtIn: { sandbox: sandboxProvider({ clock, delay_ms: config.sandbox_delay_ms }) },
  });
  return new Router({ providers, rules: new RuleBook(control, clock), health: new Health(clock), clock });
}

function checkTogether(options: AddOptions, command: Command): void {
  const { order, share, leastCost, min, max, currency } = options;
  if ([order, share, leastCost].filter((way) => way !== undefined).length !== 1) {
    command.error('error: give exactly one of --order, --share and --least-cost');
  }
  if ((min !== undefined || max !== undefined) && currency === undefined) {
    command.error('error: --min and --max need --currency');
  }
  if (min !== undefined && max !== undefined && min > max) command.error('error: --min is above --max');
}

async function checkNames(control: Queryable, team_id: bigint, environment: Environment, wanted: string[]): Promise<void> {
  const accounts = await listAccounts(control, team_id, environment);
  const known = [...(environment === 'sandbox' ? [BUILT_IN] : []), ...accounts.map(({ name }) => name)];
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Failure(
    `the team has no account ${unknown.map((name) => `"${name}"`).join(', ')} in ${environment}`,
    known.length === 0 ? 'Add one with "pirogue providers add".' : `It has ${known.join(', ')}.`,
  );
}

function ruleFrom(options: AddOptions, team_id: bigint, priority: number): RuleRow {
  const { environment } = options;
  const at = commandClock.now();
  return {
    id: newId('rul', environment, at),
    team_id,
    environment,
    priority,
    operation: options.operation ?? null,
    countries: options.country ?? [],
    channels: options.channel ?? [],
    currencies: options.currency ?? [],
    min_minor: options.min ?? null,
    max_minor: options.max ?? null,
    account_order: options.order ?? null,
    shares: options.share ?? null,
    least_cost: options.leastCost ?? false,
    fallback: options.fallback,
    created_at: new Date(at),
  };
}

/** Waits until every node has read the change: nodes cache a team's rules for less than a second. */
function untilKnown(): Promise<void> {
  return sleep(RULES_CACHE_MS + MARGIN_MS);
}

function presented({ team_id, min_minor, max_minor, account_order, shares, least_cost, ...rule }: RuleRow) {
  return {
    ...rule,
    team_id: String(team_id),
    min_amount: min_minor === null ? null : wireFromMinor(min_minor),
    max_amount: max_minor === null ? null : wireFromMinor(max_minor),
    order: account_order,
    share: shares && Object.fromEntries(shares.map(({ name, weight }) => [name, weight])),
    least_cost,
  };
}
