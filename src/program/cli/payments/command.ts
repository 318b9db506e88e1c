import { type Command, InvalidArgumentError, Option } from 'commander';
import { PAYMENT_STATUSES } from '../../../core/payments/states.ts';
import { REFUND_REASONS } from '../../../core/refunds/reasons.ts';
import { idempotencyKeyFault } from '../../../tenants/api/idempotency-key.ts';
import { addApiOptions } from '../api-options.ts';
import { addAmountOptions, addDayOptions, addIdOptions, addListOptions, addTeamOptions } from '../list-options.ts';
import { currencyCode, emailAddress } from '../values.ts';

const json = ['--json', 'print one JSON document'] as const;

/** `pirogue payments …` */
export function addPayments(program: Command): void {
  const payments = program.command('payments').description('payments of a team: list, show, refund, export, create');
  addList(payments);
  addShow(payments);
  addRefund(payments);
  addExport(payments);
  addCreate(payments);
}

function addFilters(command: Command): Command {
  command
    .addOption(new Option('--status <status>', 'only of this status').choices(PAYMENT_STATUSES))
    .option('--search <text>', 'only with this text in id, reference, description, name, e-mail or phone');
  return addAmountOptions(addDayOptions(command));
}

function addList(payments: Command): void {
  const list = payments.command('list').description('list payments, newest first');
  addListOptions(addFilters(list)).action(async (options) => (await import('./list.ts')).listPaymentsCommand(options));
}

function addShow(payments: Command): void {
  const show = payments.command('show').description('show a payment with its attempts').argument('<id>', 'trx_…');
  addIdOptions(show)
    .option(...json)
    .action(async (id, options) => (await import('./list.ts')).showPaymentCommand(id, options));
}

function addRefund(payments: Command): void {
  const refund = payments
    .command('refund')
    .description('refund a payment in full or in part')
    .argument('<id>', 'trx_…')
    .option('--amount <number>', 'in major units (default: all that is not refunded yet)')
    .addOption(new Option('--reason <reason>', 'why').choices(REFUND_REASONS).default('requested_by_customer'))
    .option('--idempotency-key <key>', 'a repetition with the same key never refunds twice', idempotencyKey);
  addIdOptions(refund)
    .option(...json)
    .action(async (id, options) => (await import('./refund.ts')).refundCommand(id, options));
}

function addExport(payments: Command): void {
  const write = payments.command('export').description('write all payments to stdout, newest first');
  addTeamOptions(addFilters(write))
    .addOption(new Option('--format <format>', 'CSV, or one JSON document on each line').choices(['csv', 'jsonl']).default('csv'))
    .option('--json', 'same as --format jsonl')
    .action(async (options) => (await import('./export.ts')).exportPaymentsCommand(options));
}

function addCreate(payments: Command): void {
  const create = payments
    .command('create')
    .description('create a payment in the sandbox of the running service, and print the address of its page')
    .requiredOption('--amount <number>', 'in major units, such as 5000')
    .requiredOption('--currency <code>', 'such as XAF', currencyCode)
    .option('--email <address>', 'of the payer', emailAddress)
    .option('--phone <number>', 'of the payer (e-mail or phone is required)')
    .option('--reference <text>', 'your reference')
    .option('--description <text>', 'shown to the payer')
    .option('--open', 'open the page in the browser');
  addApiOptions(create)
    .option(...json)
    .action(async (options, command) => (await import('./actions.ts')).createPaymentCommand(options, command));
}

function idempotencyKey(text: string): string {
  const fault = idempotencyKeyFault(text);
  if (fault) throw new InvalidArgumentError(`A key ${fault}.`);
  return text;
}
