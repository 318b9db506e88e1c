import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACTIONS } from '../../../tenants/audit/actions.ts';
import { count, teamId } from '../values.ts';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue audit …` */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('who did what: read the trail, prove that nobody changed it');
  addShow(audit);
  addVerify(audit);
}

function addShow(audit: Command): void {
  audit
    .command('show')
    .description('print what was done, the newest first')
    .option('--team <id>', 'only to this team', teamId)
    .option('--resource <id>', 'only to this payment, refund, key, webhook, …')
    .addOption(new Option('--action <action>', 'only this, such as refund.create').argParser(action))
    .option('--by <id>', 'only by this key, or user of a machine')
    .option('--request <id>', 'only by the request that was answered with this X-Request-Id')
    .option('--since <moment>', 'from then on: 2026-01-31 or 2026-01-31T12:00:00Z', moment)
    .addOption(new Option('--database <name>', 'only of this one (default: all)').choices(['control', 'sandbox', 'live']))
    .option('--limit <number>', 'at most so many of each database', count, 100)
    .option(...json)
    .action(async (options) => (await import('./show.ts')).showCommand(options));
}

function addVerify(audit: Command): void {
  audit
    .command('verify')
    .description('make every seal of the trail again, in all three databases; exit code 1 when one differs')
    .option(...json)
    .action(async (options) => (await import('./verify.ts')).verifyCommand(options));
}

function action(text: string): string {
  if (ACTIONS.some((known) => known === text)) return text;
  throw new InvalidArgumentError(`Use one of ${ACTIONS.join(', ')}.`);
}

/**
 * Parses a date as its first moment in UTC, or a time, which requires a time zone.
 * @throws InvalidArgumentError
 */
function moment(text: string): Date {
  const at = new Date(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? text : Number.NaN,
  );
  if (!Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError('Use a date (2026-01-31) or a moment with its zone (2026-01-31T12:00:00Z, …+01:00).');
}
