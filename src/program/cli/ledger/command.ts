import { type Command, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { teamId } from '../values.ts';
import { calendarDay } from './day.ts';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue ledger …` */
export function addLedger(program: Command): void {
  const ledger = program.command('ledger').description('the ledger: verify, show, export');
  addVerify(ledger);
  addShow(ledger);
  addExport(ledger);
}

function addVerify(ledger: Command): void {
  ledger
    .command('verify')
    .description('recompute balances and seals from the lines; exit code 1 when anything differs')
    .addOption(new Option('--environment <environment>', 'only this environment (default: both)').choices(ENVIRONMENTS))
    .option(...json)
    .action(async (options) => (await import('./verify.ts')).verifyCommand(options));
}

function addShow(ledger: Command): void {
  ledger
    .command('show')
    .description('print every line posted for a payment or transfer')
    .argument('<id>', 'id of the payment (trx_…) or transfer (po_…); also of a refund, dispute or attempt')
    .option(...json)
    .action(async (id, options) => (await import('./show.ts')).showCommand(id, options));
}

function addExport(ledger: Command): void {
  ledger
    .command('export')
    .description('write the lines of a period to stdout')
    .option('--from <day>', 'first day, UTC: 2026-01-01 (default: from the beginning)', calendarDay)
    .option('--to <day>', 'last day, UTC, included (default: until now)', calendarDay)
    .addOption(new Option('--format <format>', 'of the file').choices(['csv', 'json']).default('csv'))
    .addOption(new Option('--environment <environment>', 'the store').choices(ENVIRONMENTS).default('live'))
    .option('--team <id>', 'only this team', teamId)
    .option('--json', 'same as --format json')
    .action(async (options) => (await import('./export.ts')).exportCommand(options));
}
