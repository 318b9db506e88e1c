import type { Config } from '../../platform/config/config.ts';
import { inspectBody } from '../../tenants/api/body.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import { invalid } from '../../kit/errors.ts';
import { isMovable, type Minor, minorFromWire } from '../../kit/money.ts';
import { checkMetadata } from '../../kit/metadata.ts';
import { feeOf } from '../../money/fees/fees.ts';
import { type Level, transferProblem } from '../../money/transaction-limits/service.ts';
import { choiceErrors, type FindBeneficiary, fitAmount, type Payee, resolvePayee } from './payee.ts';
import { type CreateTransferBody, createTransferBody } from './schema.ts';

/** The transfer that a body would create. Amounts are in hundredths. */
export interface Quote {
  body: CreateTransferBody;
  payee: Payee;
  amount_minor: Minor;
  fee_minor: Minor;
}

/** The data against which a transfer is checked. */
export interface QuoteContext {
  level: Level;
  find: FindBeneficiary;
}

const validator = validatorOf(createTransferBody, undefined);

/**
 * Returns what POST /transfers would create from a body, and writes nothing. The limits of the day and the month, the available balance
 * and the availability of a provider are not checked: they may have changed when the transfer is created.
 * @throws Problem 404 unknown beneficiary, 422, as POST /transfers responds with it
 */
export async function quoteTransfer({ fees }: Pick<Config, 'fees'>, context: QuoteContext, sent: unknown): Promise<Quote> {
  const { cards, faults } = inspectBody(sent, 'issued');
  const errors = { ...faults, ...validator.body(sent), ...cards };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const body = sent as CreateTransferBody;
  const amount_minor = readAmount(body);
  const payee = await readPayee(context, body, amount_minor);
  return { body, payee, amount_minor, fee_minor: feeOf(fees, 'transfer', amount_minor, body.currency) };
}

/**
 * Validates what a schema cannot express.
 * @returns the amount in hundredths
 * @throws Problem 422
 */
export function readAmount(body: CreateTransferBody): Minor {
  const errors = choiceErrors(body);
  const amount_minor = minorFromWire(body.amount);
  if (amount_minor === null) errors.amount = ['must have at most two decimals and be at most 9007199254740'];
  else if (!isMovable(amount_minor, body.currency)) errors.amount = [`must be a whole number of ${body.currency}`];
  const problem = body.metadata ? checkMetadata(body.metadata) : null;
  if (problem) errors.metadata = [problem];
  if (amount_minor === null || Object.keys(errors).length > 0) throw invalid(errors);
  return amount_minor;
}

/**
 * Returns the recipient, if this team can pay the amount to them.
 * @throws Problem 404 unknown beneficiary, 422
 */
export async function readPayee({ level, find }: QuoteContext, body: CreateTransferBody, amount_minor: Minor): Promise<Payee> {
  const problem = transferProblem(level, body.currency, amount_minor);
  if (problem) throw problem;
  const payee = await resolvePayee(find, body);
  fitAmount(payee.channel, body.currency, amount_minor);
  return payee;
}
