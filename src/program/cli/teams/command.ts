import { type Command, Option } from 'commander';
import { PLANS, PUBLIC_KEYS } from '../../../tenants/teams/schema.ts';
import { versions } from '../../../tenants/versions/registry.ts';
import { count, currencyCode, emailAddress, level, postalAddress, taxId, teamId, teamName } from '../values.ts';

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
    .description('create an unverified team')
    .requiredOption('--name <name>', 'name shown to payers', teamName)
    .requiredOption('--email <address>', 'e-mail address of the owner', emailAddress)
    .addOption(planOption().default('starter'))
    .option('--currency <code>', 'default for requests without one', currencyCode, 'XAF')
    .option(...json)
    .action(async (options) => (await actions()).createTeamCommand(options));
}

function addList(teams: Command): void {
  teams
    .command('list')
    .description('show the teams, newest first')
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listTeamsCommand(options));
}

function addSet(teams: Command): void {
  teams
    .command('set')
    .description('change a team; returns when every node applies the change')
    .argument('<id>', 'the team', teamId)
    .addOption(planOption())
    .option('--name <name>', 'name shown to payers', teamName)
    .option('--email <address>', 'e-mail address of the owner', emailAddress)
    .option('--currency <code>', 'default for requests without one', currencyCode)
    .addOption(new Option('--unique-references <switch>', 'reject a reference that another payment has').choices(['on', 'off']))
    .addOption(
      new Option('--hosted-retry <switch>', 'let payers try failed payments of the API again on the hosted page').choices([
        'on',
        'off',
      ]),
    )
    .addOption(new Option('--public-keys <use>', 'pay-only: create, charge and retrieve one payment').choices(PUBLIC_KEYS))
    .addOption(new Option('--api-version <version>', 'API version of requests without one').choices(versions.all))
    .option('--address <text>', 'postal address on invoices, may have several lines; "" removes it', postalAddress)
    .option('--tax-id <text>', 'tax identification number on invoices; "" removes it', taxId)
    .option(...json)
    .action(async (id, options, command) => (await actions()).setTeamCommand(id, options, command));
}

function addVerify(teams: Command): void {
  teams
    .command('verify')
    .description('set the verification level, which limits amounts in live; returns when every node applies it')
    .argument('<id>', 'the team', teamId)
    .requiredOption('--level <level>', '0 (nothing) to 4 (no limit)', level)
    .option(...json)
    .action(async (id, options) => (await actions()).verifyTeamCommand(id, options));
}
