import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../../kit/environment.ts';
import { MAX_AMOUNT } from '../../kit/money.ts';
import { calendarDay } from './ledger/day.ts';
import type { TeamOptions } from './operations.ts';
import { pageSize, teamId } from './values.ts';

const PER_PAGE = 25;

/** Options of every list. */
export interface ListOptions extends TeamOptions {
  limit: number;
  cursor?: string;
  json?: true;
  csv?: true;
}

/** Adds `--team` and `--environment` to a command that names its environment. */
export function addTeamOptions(command: Command): Command {
  return command
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'sandbox or live (default: sandbox)').choices(ENVIRONMENTS));
}

/** Adds `--team` and `--environment` to a command about an id. */
export function addIdOptions(command: Command): Command {
  return command
    .option('--team <id>', 'team (default: the demo team of keys.json)', teamId)
    .addOption(new Option('--environment <environment>', 'default: that of the id').choices(ENVIRONMENTS));
}

/** Adds the options of a page of a list. */
export function addListOptions(command: Command): Command {
  return addTeamOptions(command)
    .option('--limit <number>', 'maximum number, up to 100', pageSize, PER_PAGE)
    .option('--cursor <cursor>', 'continue after the page that printed it')
    .addOption(new Option('--csv', 'print CSV, with every field').conflicts('json'))
    .option('--json', 'print one JSON document: items and meta, as in the API');
}

/** Adds `--date-from` and `--date-to`. */
export function addDayOptions(command: Command): Command {
  return command
    .option('--date-from <day>', 'first day, UTC: 2026-01-31', dayText)
    .option('--date-to <day>', 'last day, UTC, included', dayText);
}

/** Adds `--amount-min` and `--amount-max`. */
export function addAmountOptions(command: Command): Command {
  return command
    .option('--amount-min <number>', 'smallest amount, in major units', amountNumber)
    .option('--amount-max <number>', 'largest amount, in major units', amountNumber);
}

/** Returns the fields of a query that options give: `--date-from` is `date_from`. */
export function fieldsOf(options: object, names: readonly string[]): Record<string, unknown> {
  const given = options as Record<string, unknown>;
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.flatMap((name) => (given[camel(name)] === undefined ? [] : [[name, given[camel(name)]]])));
}

/** Returns the query of a page: cursor paging from the start on. */
export function pageQuery({ limit, cursor }: ListOptions): Record<string, unknown> {
  return { per_page: limit, cursor: cursor ?? '' };
}

function dayText(text: string): string {
  calendarDay(text);
  return text;
}

function amountNumber(text: string): number {
  const amount = /^\d{1,13}(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
  if (amount <= MAX_AMOUNT) return amount;
  throw new InvalidArgumentError('Use an amount in major units, such as 5000 or 99.50.');
}
