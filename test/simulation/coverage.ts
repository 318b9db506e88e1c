import type {
  Cancellation,
  PayoutOutcome,
  Preparation,
  Reading,
  RefundOutcome,
  Submission,
} from '../../src/providers/adapters/contract.ts';

type Kinds<Outcome extends { kind: string }, Never extends string = never> = Record<Exclude<Outcome['kind'], Never>, true>;

/** All results that the contract of adapters allows, by call. */
const ANSWERS = {
  prepare: { ready: true, refused: true, unavailable: true } satisfies Kinds<Preparation>,
  submit: {
    ...{ accepted: true, succeeded: true, refused: true, unavailable: true, duplicate: true, unknown: true },
  } satisfies Kinds<Submission>,
  continue: {
    ...{ accepted: true, succeeded: true, refused: true, unavailable: true, duplicate: true, unknown: true },
  } satisfies Kinds<Submission>,
  read: {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, expired: true, not_found: true, unreadable: true },
  } satisfies Kinds<Reading>,
  cancel: { cancelled: true, too_late: true, unknown: true } satisfies Kinds<Cancellation>,
  'refunds submit': {
    ...{ pending: true, succeeded: true, failed: true, unfunded: true, unavailable: true, unknown: true },
  } satisfies Kinds<RefundOutcome, 'not_found'>,
  'refunds read': {
    ...{ pending: true, succeeded: true, failed: true, unfunded: true, not_found: true, unknown: true },
  } satisfies Kinds<RefundOutcome, 'unavailable'>,
  'payouts submit': {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, unfunded: true, unavailable: true, unknown: true },
  } satisfies Kinds<PayoutOutcome, 'not_found'>,
  'payouts read': {
    ...{ pending: true, succeeded: true, failed: true, cancelled: true, unfunded: true, not_found: true, unknown: true },
  } satisfies Kinds<PayoutOutcome, 'unavailable'>,
};
const ACTIONS = ['confirm', 'otp', 'redirect', 'transfer'];

/** Final statuses by resource. */
const ENDS = {
  payments: ['succeeded', 'failed', 'cancelled', 'expired', 'refunded', 'partially_refunded'],
  refunds: ['succeeded', 'failed'],
  transfers: ['succeeded', 'failed', 'cancelled'],
  disputes: ['won', 'lost', 'closed'],
  invoices: ['paid', 'cancelled'],
};

/** What shops ask for beside payments and refunds, and obtain: an operation that always fails would change no book. */
const DONE = [
  ...[
    'POST /payments: 201',
    'POST /payments/{id}: 202',
    'DELETE /payments/{id}: 200',
    'POST /refunds: 201',
    'POST /transfers: 201',
  ],
  ...['POST /invoices: 201', 'POST /invoices/{id}/send: 200', 'POST /invoices/{id}/cancel: 200'],
  ...['POST /disputes/{id}/evidence: 200', 'POST /disputes/{id}/accept: 200', 'POST /events/{id}/resend: 200'],
  ...['PATCH /customers/{id}: 200', 'DELETE /customers/{id}: 200'],
  ...['POST /customers/{id}/block: 200', 'POST /customers/{id}/unblock: 200'],
  'a payment made with a public key',
];

const EVERYTHING = [
  ...DONE,
  ...Object.entries(ANSWERS).flatMap(([call, kinds]) => Object.keys(kinds).map((kind) => `${call}: ${kind}`)),
  ...ACTIONS.map((action) => `submit: accepted, ${action}`),
  ...ACTIONS.slice(1).map((action) => `read: pending, ${action}`),
  ...Object.entries(ENDS).flatMap(([what, states]) => states.map((state) => `${what}: ${state}`)),
  ...['collect', 'refund'].map((flow) => `denied and done: ${flow}`),
  'an amount or currency that differs',
  ...['collect', 'payout'].flatMap((flow) => [
    `${flow}: another amount or currency is reported`,
    `${flow}: another amount or currency moves`,
  ]),
  ...['refund', 'payout'].map((flow) => `${flow}: pending without a reference`),
  'a refund that needs a person',
  'a payment that was tried again on its page',
  'a payment of a link without an amount',
  'a dispute about a part',
  'another dispute of a payment',
  'a payout that waits because another amount moved',
  ...['invalid_recipient', 'recipient_unregistered', 'insufficient_balance', null].map(
    (reason) => `payouts: failed because of ${reason}`,
  ),
  'money that was to be returned is kept',
  'money that was returned twice is borne by the platform',
  'refunds: failed, arrived late',
  'transfers: failed, arrived late',
  'transfers of sub-accounts: succeeded',
  'transfers of sub-accounts: failed',
];

/** Occurrences that a thousand payments of one profile contain. */
export const OFTEN = [
  ...['submit: accepted', 'submit: refused', 'submit: unavailable', 'submit: unknown', 'read: pending', 'read: not_found'],
  ...['refunds submit: pending', 'refunds submit: succeeded', 'payouts submit: pending', 'payouts submit: succeeded'],
  ...['moved by a provider: collect', 'moved by a provider: refund', 'moved by a provider: payout'],
  ...ENDS.payments.map((state) => `payments: ${state}`),
  ...ENDS.refunds.map((state) => `refunds: ${state}`),
  ...['transfers: succeeded', 'transfers: failed', 'disputes: lost', 'invoices: paid', 'links: active'],
  ...['event payment.late_success', 'event payment.partial', 'event customer.deleted'],
];

/** Returns the expected occurrences that a run lacks. By default everything is expected: for runs of 5,000 payments and more. */
export function neverOccurred(occurred: Record<string, number>, expected: readonly string[] = EVERYTHING): string[] {
  return expected.filter((what) => !Object.keys(occurred).some((seen) => seen === what || seen.startsWith(`${what}, `)));
}
