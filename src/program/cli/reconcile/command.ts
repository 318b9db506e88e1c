import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { calendarDay } from '../ledger/day.ts';
import { SETTLED_AS } from '../../../core/reconciliation/schema.ts';
import { evidence, person, teamId } from '../values.ts';

/** `pirogue reconcile` */
export function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .description("compare a provider's statement with the books; exit code 1 when a break is left open")
    .requiredOption('--provider <kind>', 'whose statement: mtn-momo, pawapay, …')
    .requiredOption('--file <file>', 'the statement, CSV')
    .option('--account <name>', 'which account, where the team has several at the provider: its name or pa_…')
    .option('--team <id>', 'whose account (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'the store').choices(ENVIRONMENTS).default('live'))
    .option('--from <day>', 'first day for which the file is complete, UTC (default: from its first line)', calendarDay)
    .option('--to <day>', 'last day, included (default: until its last line)', calendarDay)
    .option('--skew <seconds>', 'how far the clocks may be apart', seconds, 120)
    .option('--apply', 'enter the evidence and post the corrections; without, it is only looked')
    .option('--force', 'apply it even when most of its lines are unknown here')
    .option('--report <folder>', 'where the report is written', '.')
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./actions.ts')).reconcileCommand(options));
}

/** `pirogue breaks settle` */
export function addBreaks(program: Command): void {
  program
    .command('breaks')
    .description('what reconciliation set aside in hold')
    .command('settle')
    .description('decide where the money of a break belongs')
    .argument('<run>', 'rec_…')
    .argument('<break>', 'its number in the report', breakNumber)
    .addOption(new Option('--as <whose>', 'undone: the books were right').choices(SETTLED_AS).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'what shows it: kept with the decision', evidence)
    .option('--author <name>', 'who decides (default: the user of this machine)', person)
    .option('--team <id>', 'whose it is (default: the demo team of keys.json)', teamId)
    .option('--json', 'print one JSON document')
    .action(async (run, number, options) => (await import('./settle.ts')).settleCommand(run, number, options));
}

function breakNumber(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Use the number of a break, as the report shows it.');
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use whole seconds, 0 to 99999.');
}
