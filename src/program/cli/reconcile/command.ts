import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { calendarDay } from '../ledger/day.ts';
import { SETTLED_AS } from '../../../core/reconciliation/schema.ts';
import { count, evidence, filePath, person, teamId } from '../values.ts';

/** `pirogue reconcile` */
export function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .description("compare a provider's statement with the books; exit code 1 when a break is left open")
    .requiredOption('--provider <kind>', 'provider of the statement: mtn-momo, pawapay, …')
    .requiredOption('--file <file>', 'the statement, CSV', filePath)
    .option('--account <name>', 'account, where the team has several at the provider: its name or pa_…')
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'the store').choices(ENVIRONMENTS).default('live'))
    .option('--from <day>', 'first day for which the file is complete, UTC (default: from its first line)', calendarDay)
    .option('--to <day>', 'last day, included (default: until its last line)', calendarDay)
    .option('--skew <seconds>', 'tolerated clock difference', seconds, 120)
    .option('--apply', 'record the evidence and post the corrections (default: report only)')
    .option('--force', 'apply it even when most of its lines are unknown')
    .addOption(
      new Option('--report <folder>', 'folder of the report').argParser(filePath).default(filePath('.'), 'the current one'),
    )
    .option('--json', 'print one JSON document')
    .action(async (options) => (await import('./actions.ts')).reconcileCommand(options));
}

/** `pirogue breaks …` */
export function addBreaks(program: Command): void {
  const breaks = program
    .command('breaks')
    .description('breaks that reconciliation found, and the money that it moved to suspense');
  breaks
    .command('list')
    .description('show the breaks of a run, in the order of their numbers')
    .argument('<run>', 'rec_…')
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .option('--limit <n>', 'maximum number', count, 100)
    .option('--cursor <break>', 'continue after the break with this number, which the page before printed', breakNumber)
    .option('--json', 'print one JSON document: items and meta')
    .action(async (run, options) => (await import('./list.ts')).listCommand(run, options));
  breaks
    .command('settle')
    .description('decide where the money of a break belongs')
    .argument('<run>', 'rec_…')
    .argument('<break>', 'number of the break in the report', breakNumber)
    .addOption(
      new Option('--as <whose>', 'merchant: its available balance; platform: its income or loss; undone: the statement was wrong')
        .choices(SETTLED_AS)
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'evidence, stored with the decision', evidence)
    .option('--author <name>', 'person who decides (default: the operating system user)', person)
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
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
