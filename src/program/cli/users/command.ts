import { type Command, Option } from 'commander';
import { ROLES } from '../../../tenants/people/roles.ts';
import { count, emailAddress, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const userArgument = ['<user>', 'id (usr_…) or e-mail address of the person'] as const;
const roleOption = () => new Option('--role <role>', 'role in the team').choices(ROLES);

/** `pirogue users …` */
export function addUsers(program: Command): void {
  const users = program.command('users').description('people who sign in to the console');
  addCreate(users);
  addInvite(users);
  addRoles(users);
  addLink(users);
  addSwitches(users);
  addList(users);
}

function addCreate(users: Command): void {
  users
    .command('create')
    .description('create a person, who signs in by the link of "pirogue users link"')
    .requiredOption('--email <address>', 'e-mail address', emailAddress)
    .requiredOption('--name <name>', 'name', person)
    .option('--team <id>', 'make the person a member of this team', teamId)
    .addOption(roleOption())
    .option('--operator', 'runs the installation: sees the list of all teams')
    .option(...json)
    .action(async (options, command) => (await actions()).createUserCommand(options, command));
}

function addInvite(users: Command): void {
  users
    .command('invite')
    .description('invite somebody to a team by mail')
    .requiredOption('--team <id>', 'team', teamId)
    .requiredOption('--email <address>', 'e-mail address', emailAddress)
    .addOption(roleOption().makeOptionMandatory())
    .option(...json)
    .action(async (options) => (await actions()).inviteUserCommand(options));
}

function addRoles(users: Command): void {
  users
    .command('roles')
    .description('show the roles of a person, or change the role in one team')
    .argument(...userArgument)
    .option('--team <id>', 'team in which the role changes', teamId)
    .addOption(roleOption())
    .option('--remove', 'remove the person from the team')
    .option(...json)
    .action(async (user, options, command) => (await actions()).rolesCommand(user, options, command));
}

function addLink(users: Command): void {
  users
    .command('link')
    .description('print a link that signs a person in: once, within 10 minutes')
    .argument(...userArgument)
    .option(...json)
    .action(async (user, options) => (await actions()).linkCommand(user, options));
}

function addSwitches(users: Command): void {
  const add = (name: 'disable' | 'enable' | 'clear-factors', description: string) =>
    users
      .command(name)
      .description(description)
      .argument(...userArgument)
      .option(...json)
      .action(async (user, options) => (await actions()).switchUserCommand(user, name, options));
  add('disable', 'disable a person and end every session');
  add('enable', 'enable a person again');
  add('clear-factors', 'remove codes, recovery codes and passkeys of a person who has lost them, and end every session');
}

function addList(users: Command): void {
  users
    .command('list')
    .description('show people, newest first')
    .option('--team <id>', 'only of this team', teamId)
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listUsersCommand(options));
}
