import { type Command, InvalidArgumentError } from 'commander';
import { isAddressOrRange } from '../../../kit/address-list.ts';
import { isId } from '../../../kit/ids.ts';
import { plainNumber } from '../../../core/customers/payer-hash.ts';
import { COUNTRIES } from '../../../providers/reference/countries.ts';
import { parsePhone } from '../../../providers/reference/phones.ts';
import { count, emailAddress, futureMoment, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;
const team = ['--team <id>', 'team (default: the demo team of keys.json)', teamId] as const;

/** `pirogue blocks …` */
export function addBlocks(program: Command): void {
  const blocks = program.command('blocks').description('payers whose live charges a team rejects while its fraud rules are on');
  naming(blocks.command('add').description('block a payer; numbers and e-mail addresses are stored as keyed hashes only'))
    .option('--note <text>', 'reason, stored as it is: no personal data', note)
    .option('--expires <moment>', 'end of the block, such as 2027-01-31 (default: until it is removed)', futureMoment)
    .option(...team)
    .option(...json)
    .action(async (options, command) => (await actions()).addCommand(options, command));
  naming(blocks.command('list').description('show the blocks, newest first; with a payer: whether that payer is blocked'))
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...team)
    .option(...json)
    .action(async (options, command) => (await actions()).listCommand(options, command));
  blocks
    .command('remove')
    .description('remove a block')
    .argument('<id>', 'blk_…')
    .option(...team)
    .option(...json)
    .action(async (id, options) => (await actions()).removeCommand(id, options));
}

function naming(command: Command): Command {
  return command
    .option('--phone <number>', 'phone number with its country code: +237670000000', phone)
    .option('--account <number>', 'bank account number', account)
    .option('--email <address>', 'of the payer', emailAddress)
    .option('--customer <id>', 'cus_…', customer)
    .option('--address <range>', 'address or range of the browser: 203.0.113.7 or 203.0.113.0/24', address);
}

/**
 * Normalises a phone number to E.164, as a charge does, so that the hashes are equal.
 * @throws InvalidArgumentError
 */
function phone(text: string): string {
  if (/^\s*(\+|00)/.test(text)) {
    for (const { code } of COUNTRIES) {
      const read = parsePhone(text, code);
      if (read) return read.e164;
    }
  }
  throw new InvalidArgumentError('Use a mobile number with its country, such as +237670000000.');
}

function account(text: string): string {
  if (/^[\x21-\x7e]{4,64}$/.test(plainNumber(text))) return text;
  throw new InvalidArgumentError('An account number has 4 to 64 visible characters, besides spaces, dots and hyphens.');
}

function customer(text: string): string {
  if (isId('cus', 'live', text)) return text;
  throw new InvalidArgumentError('Use the id of a live customer: cus_…');
}

function address(text: string): string {
  if (isAddressOrRange(text) && !text.includes('%') && !/\/0+$/.test(text)) return text;
  throw new InvalidArgumentError('Use an address or a range such as 203.0.113.7 or 2001:db8::/32.');
}

function note(text: string): string {
  const said = text.trim();
  if (said !== '' && said.length <= 200 && !/\p{Cc}/u.test(said)) return said;
  throw new InvalidArgumentError('A note has 1 to 200 characters, on one line.');
}
