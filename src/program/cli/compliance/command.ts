import { type Command, InvalidArgumentError, Option } from 'commander';
import { count, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue compliance …` */
export function addCompliance(program: Command): void {
  const compliance = program.command('compliance').description('KYC records');
  addDecision(compliance, 'approve', 'approved', 'the record must be kept: an erasure of the customer keeps the tax id');
  addDecision(compliance, 'reject', 'rejected', 'the record need not be kept: an erasure of the customer removes the tax id');
  compliance
    .command('list')
    .description('show the records, last changed first')
    .addOption(new Option('--environment <name>', 'environment').choices(['sandbox', 'live']).default('live'))
    .option('--team <id>', 'team (default: the demo team)', teamId)
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
}

function addDecision(compliance: Command, name: string, status: 'approved' | 'rejected', description: string): void {
  compliance
    .command(name)
    .description(description)
    .argument('<id>', 'the customer (cus_…)')
    .option('--author <name>', 'person who decides (default: the operating system user)', person)
    .option('--note <text>', 'where the documents are, stored with the decision: no personal data', remark)
    .option('--team <id>', 'team (default: the demo team)', teamId)
    .option(...json)
    .action(async (id, options) => (await actions()).recordCommand(status, id, options));
}

function remark(text: string): string {
  const said = text.trim();
  if (said !== '' && said.length <= 500 && !/\p{Cc}/u.test(said)) return said;
  throw new InvalidArgumentError('A note has 1 to 500 characters, on one line.');
}
