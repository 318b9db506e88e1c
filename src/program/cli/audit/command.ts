import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACTIONS } from '../../../tenants/audit/actions.ts';
import { count, teamId } from '../values.ts';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue audit …` */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('the audit trail: show entries, verify the seals');
  addShow(audit);
  addVerify(audit);
}

function addShow(audit: Command): void {
  audit
    .command('show')
    .description('print the entries, newest first')
    .option('--team <id>', 'only of this team', teamId)
    .option('--resource <id>', 'only about this payment, refund, key, webhook, …')
    .addOption(new Option('--action <action>', 'only this action, such as refund.create').argParser(action))
    .option('--by <id>', 'only by this key or operating system user')
    .option('--request <id>', 'only of the request with this X-Request-Id')
    .option('--since <moment>', 'only since this moment: 2026-01-31 or 2026-01-31T12:00:00Z', moment)
    .addOption(new Option('--database <name>', 'only of this database (default: all)').choices(['control', 'sandbox', 'live']))
    .option('--limit <number>', 'maximum number', count, 100)
    .option(...json)
    .action(async (options) => (await import('./show.ts')).showCommand(options));
}

function addVerify(audit: Command): void {
  audit
    .command('verify')
    .description('verify every seal of the trail in all three databases; exit code 1 when one differs')
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
