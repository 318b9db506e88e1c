import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { addressList, count, futureMoment, scopeList, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue keys …` */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys of a team');
  addCreate(keys);
  addList(keys);
  addSwitch(keys, 'deactivate', 'switch a key off; returns when no node accepts it any more');
  addSwitch(keys, 'activate', 'switch a key on again; returns when every node accepts it');
  addRevoke(keys);
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('make a key and show it, this once')
    .option('--team <id>', 'whose key (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'the store it opens').choices(ENVIRONMENTS).makeOptionMandatory())
    .addOption(new Option('--kind <kind>', 'what it is for').choices(['public', 'secret', 'restricted']).makeOptionMandatory())
    .option('--scopes <scopes>', 'what a restricted key may do, such as payment.read,payment.write', scopeList)
    .option('--allow-ip <addresses>', 'addresses and CIDR ranges it may be used from (default: everywhere)', addressList)
    .option('--expires-at <moment>', 'ISO 8601: 2027-01-31 or 2027-01-31T12:00:00Z (default: never)', futureMoment)
    .option(...json)
    .action(async (options, command) => (await actions()).createKeyCommand(options, command));
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('show keys, newest first')
    .option('--team <id>', 'only those of this team', teamId)
    .option('--limit <number>', 'at most so many', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listKeysCommand(options));
}

function addSwitch(keys: Command, name: 'activate' | 'deactivate', description: string): void {
  keys
    .command(name)
    .description(description)
    .argument('<id>', 'of the key (key_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).switchKeyCommand(id, name === 'activate', options, command));
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('end a key; returns when no node accepts it any more')
    .argument('<id>', 'of the key (key_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).revokeKeyCommand(id, options, command));
}
