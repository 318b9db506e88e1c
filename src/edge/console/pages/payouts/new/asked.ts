import { ownFaults } from '../../../messages/own.ts';
import { type QuoteContext, quoteTransfer, type Quote } from '../../../../../core/transfers/quote.ts';
import { getBeneficiary } from '../../../../../core/beneficiaries/service.ts';
import { Problem } from '../../../../../kit/errors.ts';
import { levelOf } from '../../../../../money/transaction-limits/service.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { fieldOf, type TeamVisit } from '../../../page.ts';
import { typedAmount } from '../../../parts/amount.ts';
import { type Fault, faultOf, shownFault } from '../../../parts/fault.ts';
import { PAYOUT_TEXTS } from '../texts.ts';

/** Fields of the form of a payout. */
export const FIELDS = [
  ...['beneficiary', 'name', 'channel', 'number', 'bank_code'],
  ...['amount', 'currency', 'reference', 'description'],
] as const;

/** Input of the form. */
export type Asked = Record<string, string>;

/** Returns the input of the submitted form. */
export function askedOf(visit: TeamVisit): Asked {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(visit, name)]));
}

/**
 * Returns the body of POST /transfers for the input. A recipient without a name is paid by number alone. With a bank code, the API
 * requires a name.
 * @throws Problem 422 for an amount that is not a number
 */
export function bodyOf({ language }: TeamVisit, asked: Asked): object {
  const { beneficiary, name, channel, number, bank_code, currency, reference, description } = asked;
  const amount = typedAmount(asked.amount ?? '');
  if (amount === null) throw ownFaults({ amount: [PAYOUT_TEXTS[language].wrongAmount] });
  const on = channel ? { channel } : {};
  const direct =
    name || bank_code
      ? { beneficiary: { name, ...on, account_number: number, ...(bank_code ? { bank_code } : {}) } }
      : { recipient: number, ...on };
  return {
    ...{ amount, currency, ...(beneficiary ? { beneficiary } : direct) },
    ...(reference ? { reference } : {}),
    ...(description ? { description } : {}),
  };
}

/** Returns the context with which the API would check a transfer of this team. */
export function contextOf({ team, store, environment }: TeamVisit): QuoteContext {
  const find = (id: string) => getBeneficiary(store.db, environment, { team_id: team.id, id });
  return { level: levelOf(environment, team), find };
}

/**
 * Returns the payout that would be made, with its fee.
 * @throws Problem as POST /transfers responds with it
 */
export function quoteOf(deps: ConsoleDeps, visit: TeamVisit, asked: Asked): Promise<Quote> {
  return quoteTransfer(deps.config, contextOf(visit), bodyOf(visit, asked));
}

/**
 * Returns a rejection, to be shown with the form. It includes the case that no provider is available, so that the input is kept.
 * @throws the error itself when it is not caused by the input
 */
export function payoutFault(visit: TeamVisit, error: unknown): Fault {
  if (error instanceof Problem && error.status === 502) return shownFault(visit.language, error);
  return faultOf(visit, error);
}
