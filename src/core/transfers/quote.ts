import type { Config } from '../../platform/config/config.ts';
import { inspectBody } from '../../tenants/api/body.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import { type FieldErrors, invalid, must } from '../../kit/errors.ts';
import { isMovable, type Minor, minorFromWire } from '../../kit/money.ts';
import { checkFreeObjects } from '../../kit/metadata.ts';
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
  const body = sent as CreateTransferBody;
  const invalids = validator.body(body);
  const errors = { ...faults, ...invalids, ...checkTransfer(body), ...invalids, ...cards };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const amount_minor = must(minorFromWire(body.amount), 'checkTransfer let it pass');
  const payee = await readPayee(context, body, amount_minor);
  return { body, payee, amount_minor, fee_minor: feeOf(fees, 'transfer', amount_minor, body.currency) };
}

/**
 * Validates what the schema cannot express, without a query. The body may not fit the schema.
 * @returns errors by field
 */
export function checkTransfer(body: CreateTransferBody): FieldErrors {
  const { amount, currency, metadata } = body;
  const problem = typeof amount === 'number' ? amountProblem(amount, currency) : null;
  return { ...choiceErrors(body), ...(problem ? { amount: [problem] } : {}), ...checkFreeObjects({ metadata }) };
}

function amountProblem(amount: number, currency: string): string | null {
  const amount_minor = minorFromWire(amount);
  if (amount_minor === null) return 'must have at most two decimals and be at most 9007199254740';
  return isMovable(amount_minor, currency) ? null : `must be a whole number of ${currency}`;
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
