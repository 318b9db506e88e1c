import { type Command, Option } from 'commander';
import { PLANS } from '../../../tenants/teams/schema.ts';
import { versions } from '../../../tenants/versions/registry.ts';
import { count, currencyCode, emailAddress, level, teamId, teamName } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const planOption = () => new Option('--plan <plan>', 'multiplies the rate limits').choices(PLANS);

/** `pirogue teams …` */
export function addTeams(program: Command): void {
  const teams = program.command('teams').description('merchants');
  addCreate(teams);
  addList(teams);
  addSet(teams);
  addVerify(teams);
}

function addCreate(teams: Command): void {
  teams
    .command('create')
    .description('make an unverified team')
    .requiredOption('--name <name>', 'what payers see', teamName)
    .requiredOption('--email <address>', 'of the owner', emailAddress)
    .addOption(planOption().default('starter'))
    .option('--currency <code>', 'used where a request names none', currencyCode, 'XAF')
    .option(...json)
    .action(async (options) => (await actions()).createTeamCommand(options));
}

function addList(teams: Command): void {
  teams
    .command('list')
    .description('show the teams, newest first')
    .option('--limit <number>', 'at most so many', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listTeamsCommand(options));
}

function addSet(teams: Command): void {
  teams
    .command('set')
    .description('change a team; returns when every node knows')
    .argument('<id>', 'the team', teamId)
    .addOption(planOption())
    .option('--name <name>', 'what payers see', teamName)
    .option('--email <address>', 'of the owner', emailAddress)
    .option('--currency <code>', 'used where a request names none', currencyCode)
    .addOption(new Option('--unique-references <switch>', 'refuse a reference that another payment has').choices(['on', 'off']))
    .addOption(new Option('--api-version <version>', 'version of the API where a request names none').choices(versions.all))
    .option(...json)
    .action(async (id, options, command) => (await actions()).setTeamCommand(id, options, command));
}

function addVerify(teams: Command): void {
  teams
    .command('verify')
    .description('set what a team may move in live; returns when every node knows')
    .argument('<id>', 'the team', teamId)
    .requiredOption('--level <level>', '0 (nothing) to 4 (no ceiling)', level)
    .option(...json)
    .action(async (id, options) => (await actions()).verifyTeamCommand(id, options));
}
