import { type Command, InvalidArgumentError, Option } from 'commander';
import { count, person, teamId } from '../values.ts';

const actions = () => import('./actions.ts');
const json = ['--json', 'print one JSON document'] as const;

/** `pirogue compliance …` */
export function addCompliance(program: Command): void {
  const compliance = program.command('compliance').description('what came of checking who customers are');
  addDecision(compliance, 'approve', 'approved', 'the record is to be kept: the tax id outlives an erasure of the customer');
  addDecision(compliance, 'reject', 'rejected', 'nothing is to be kept: an erased customer loses the tax id too');
  compliance
    .command('list')
    .description('show the records, the last changed first')
    .addOption(new Option('--environment <name>', 'which store').choices(['sandbox', 'live']).default('live'))
    .option('--team <id>', 'default: the demo team', teamId)
    .option('--limit <number>', 'at most so many', count, 100)
    .option(...json)
    .action(async (options) => (await actions()).listCommand(options));
}

function addDecision(compliance: Command, name: string, status: 'approved' | 'rejected', description: string): void {
  compliance
    .command(name)
    .description(description)
    .argument('<id>', 'the customer (cus_…)')
    .option('--author <name>', 'who decides (default: the user of this machine)', person)
    .option('--note <text>', 'where the papers are: kept with the decision, so name nobody', remark)
    .option('--team <id>', 'default: the demo team', teamId)
    .option(...json)
    .action(async (id, options) => (await actions()).recordCommand(status, id, options));
}

function remark(text: string): string {
  const said = text.trim();
  if (said !== '' && said.length <= 500 && !/\p{Cc}/u.test(said)) return said;
  throw new InvalidArgumentError('A note has 1 to 500 characters, on one line.');
}
