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
  addSwitch(keys, 'deactivate', 'deactivate a key; returns when no node accepts it any more');
  addSwitch(keys, 'activate', 'reactivate a key; returns when every node accepts it');
  addRevoke(keys);
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('create a key and show it once')
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'environment of the key').choices(ENVIRONMENTS).makeOptionMandatory())
    .addOption(new Option('--kind <kind>', 'kind of key').choices(['public', 'secret', 'restricted']).makeOptionMandatory())
    .option('--scopes <scopes>', 'scopes of a restricted key, such as payment.read,payment.write', scopeList)
    .option('--allow-ip <addresses>', 'addresses and CIDR ranges from which it may be used (default: any)', addressList)
    .option('--expires-at <moment>', 'ISO 8601: 2027-01-31 or 2027-01-31T12:00:00Z (default: never)', futureMoment)
    .option(...json)
    .action(async (options, command) => (await actions()).createKeyCommand(options, command));
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('show keys, newest first')
    .option('--team <id>', 'only of this team', teamId)
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listKeysCommand(options));
}

function addSwitch(keys: Command, name: 'activate' | 'deactivate', description: string): void {
  keys
    .command(name)
    .description(description)
    .argument('<id>', 'id of the key (key_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).switchKeyCommand(id, name === 'activate', options, command));
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('revoke a key permanently; returns when no node accepts it any more')
    .argument('<id>', 'id of the key (key_…)')
    .option(...json)
    .action(async (id, options, command) => (await actions()).revokeKeyCommand(id, options, command));
}
