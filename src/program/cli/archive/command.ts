import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../../kit/environment.ts';
import { calendarDay } from '../ledger/day.ts';
import { teamId } from '../values.ts';

const DAY_MS = 86_400_000;

/** `pirogue archive` */
export function addArchive(program: Command): void {
  program
    .command('archive')
    .description(
      'move old payments to compressed storage, or restore them; they stay in lists, and everything works on them as before',
    )
    .argument('[ids...]', 'with --restore: the payments, trx_…')
    .option('--before <day>', 'payments created and last changed before this day, UTC', calendarDay)
    .addOption(
      new Option('--older-than <age>', 'the same by age: 400d or 3y, at least a year').argParser(age).conflicts('before'),
    )
    .option('--from <day>', 'with --restore: payments created from this day on, until --before', calendarDay)
    .option('--restore', 'restore archived payments')
    .option('--team <id>', 'only of this team (default: all; with --restore: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'the store').choices(ENVIRONMENTS).default('live'))
    .option('--dry-run', 'count only')
    .option('--json', 'print one JSON document')
    .action(async (ids, options, command) => (await import('./actions.ts')).archiveCommand(ids, options, command));
}

/** Parses `400d` or `3y` into milliseconds. A year has 365 days. */
function age(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([dy])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Use days or years: 400d, 3y.');
  return Number(count) * (unit === 'y' ? 365 : 1) * DAY_MS;
}
