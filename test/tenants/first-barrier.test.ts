import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { CHARGEABLE } from '../../src/core/payments/store.ts';
import * as attempts from '../../src/core/attempts/store.ts';
import { PROMPTERS } from '../../src/core/attempts/schema.ts';
import { countUnpaidPrompts } from '../../src/core/charge/prompts-store.ts';
import * as disputes from '../../src/core/disputes/store.ts';
import * as obligations from '../../src/core/obligations/store.ts';
import * as payments from '../../src/core/payments/store.ts';
import { findWithAttempts } from '../../src/core/payments/view-store.ts';
import { readSnapshots } from '../../src/core/payments/snapshots-store.ts';
import * as statementAmounts from '../../src/core/payments/statement-amounts-store.ts';
import { shiftRefunds } from '../../src/core/refunds/shift-store.ts';
import * as refunds from '../../src/core/refunds/store.ts';
import * as transferCallbacks from '../../src/core/transfers/callback-store.ts';
import * as latePayouts from '../../src/core/transfers/late-store.ts';
import * as transfers from '../../src/core/transfers/store.ts';
import { must } from '../../src/kit/errors.ts';
import type { Tx } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { booksOf, bookedSums, LAST_ID, lastOfChunk } from '../../src/money/ledger/books.ts';
import { countSides, listSides } from '../../src/money/ledger/history.ts';
import { idsWithin } from '../../src/money/ledger/moments.ts';
import { lockBalances } from '../../src/money/ledger/post.ts';
import { suspenseOf } from '../../src/money/ledger/suspense.ts';
import { owedByTeam } from '../../src/money/settlement/credit.ts';
import * as settlement from '../../src/money/settlement/store.ts';
import * as limits from '../../src/money/transaction-limits/store.ts';
import { addEndedRows, DAY, DUE, ENDED } from './ended-rows.ts';
import { openTwins, type Twins } from './twins.ts';

/**
 * Every statement of the money rooms names its team and its rows: that is the first barrier (docs/decisions/0029). Here the second,
 * row-level security, does not apply, and another team has rows with the same ids and contents. Each statement must return and
 * change the same as without that team, and leave its rows alone. It changes one row of its own team, except for shifts of time, and
 * returns or changes something, except where its title says that there is nothing: else it would be as good without its condition.
 */
let twins: Twins;
before(async () => {
  twins = await openTwins();
  await addEndedRows(twins);
});
after(() => twins.close());

const OFFSET = { kind: 'offset', page: 1, per_page: 50 } as const;
const NOW = new Date('2030-01-01T00:00:00Z');

type Work = (tx: Tx, one: Twins) => Promise<unknown>;

const ATTEMPTS: Record<string, Work> = {
  findAttempt: (tx, { team_id, attempt }) => attempts.findAttempt(tx, team_id, attempt.id),
  attemptsOf: (tx, { payment }) => attempts.attemptsOf(tx, [payment]),
  lockAttempts: (tx, { payment }) => attempts.lockAttempts(tx, [payment]),
  updateAttempts: (tx, { attempt }) => attempts.updateAttempts(tx, [{ ...attempt, message: 'changed' }]),
  markSent: (tx, { open }) => attempts.markSent(tx, [{ ...open, handle: 'handle', submitted_at: NOW }], CHARGEABLE),
  markStep: (tx, { open }) => attempts.markStep(tx, open, NOW, DUE),
  unmarkStep: (tx, { attempt }) => attempts.unmarkStep(tx, { ...attempt, id: ENDED.stepped, unanswered_step_at: DUE }),
  'unmarkStep, nothing: another was sent since': (tx, { attempt }) =>
    attempts.unmarkStep(tx, { ...attempt, id: ENDED.stepped, unanswered_step_at: new Date(DUE.getTime() - 1) }),
  pollNow: (tx, { open }) => attempts.pollNow(tx, open, NOW),
  pollDoubted: (tx, { attempt }) => attempts.pollDoubted(tx, { ...attempt, id: ENDED.attempt }, NOW, DUE),
  storeReportedRef: (tx, { open }) => attempts.storeReportedRef(tx, open, 'reported', ''),
  'storeReportedRef, nothing: taken': (tx, { open, attempt }) =>
    attempts.storeReportedRef(tx, open, must(attempt.provider_ref, 'it has one'), ''),
  ...Object.fromEntries(
    (['id', 'provider_key'] as const).map((by) => [
      `findBySubject, ${by}`,
      (tx: Tx, { team_id, attempt }: Twins) =>
        attempts.findBySubject(tx, team_id, attempt.provider_account, { by, value: attempt[by] }),
    ]),
  ),
  shiftAttempts: (tx, { team_id }) => attempts.shiftAttempts(tx, { team_id, by_ms: 1_000, now: NOW }),
  countUnpaidPrompts: (tx, { team_id, open }) =>
    countUnpaidPrompts(tx, [{ team_id, payer: must(open.payer, 'a wallet'), kinds: PROMPTERS, since: new Date(0) }]),
};

const PAYMENTS: Record<string, Work> = {
  findPayment: (tx, { team_id, payment }) => payments.findPayment(tx, team_id, payment.id),
  findStored: (tx, { team_id, payment }) => payments.findStored(tx, team_id, payment.id),
  referenceExists: (tx, { team_id }) => payments.referenceExists(tx, team_id, 'INV-1'),
  findByKey: (tx, { team_id }) => payments.findByKey(tx, team_id, 'POST /payments', 'key-1'),
  findWithAttempts: (tx, { team_id, payment }) => findWithAttempts(tx, team_id, payment.id),
  lockPayments: (tx, { payment }) => payments.lockPayments(tx, [payment]),
  lockWithAttempts: (tx, { payment }) => payments.lockWithAttempts(tx, [payment]),
  lockFreePayments: (tx, { payment }) => payments.lockFreePayments(tx, [payment]),
  updatePayments: (tx, { payment }) => payments.updatePayments(tx, [{ ...payment, message: 'changed' }]),
  stopContinuing: (tx, { partial }) => payments.stopContinuing(tx, partial),
  'stopContinuing, nothing: set anew': (tx, { partial }) => payments.stopContinuing(tx, { ...partial, continue_at: NOW }),
  writeClaim: (tx, { payment }) => payments.writeClaim(tx, payment, null, Buffer.from('a')),
  'writeClaim, nothing: changed meanwhile': (tx, { payment }) =>
    payments.writeClaim(tx, payment, Buffer.from('b'), Buffer.from('a')),
  shiftPayments: (tx, { team_id }) => payments.shiftPayments(tx, { team_id, by_ms: 1_000, now: NOW }),
  'shiftPayments, one': (tx, { team_id, partial }) => payments.shiftPayments(tx, { team_id, by_ms: 1_000, now: NOW }, partial.id),
  markSettled: (tx, { team_id, dispute }) => payments.markSettled(tx, [{ team_id, id: dispute.payment_id }], NOW),
  'markSettled, nothing: money is pending': (tx, { payment }) => payments.markSettled(tx, [payment], NOW),
  readSnapshots: (tx, { payment }) => readSnapshots(tx, [payment]),
  statedAmounts: (tx, { team_id, attempt }) => statementAmounts.statedAmounts(tx, [{ team_id, attempt_id: attempt.id }]),
  undecidedByStatement: (tx, { attempt }) => statementAmounts.undecidedByStatement(tx, [attempt]),
};

const REFUNDS: Record<string, Work> = {
  findRefund: (tx, { team_id, refund }) => refunds.findRefund(tx, team_id, refund.id),
  findByKey: (tx, { team_id, refund, attempt }) =>
    refunds.findByKey(tx, team_id, attempt.provider_account, must(refund.legs[0], 'it has a part').provider_key),
  paymentOfKey: (tx, { team_id, refund }) =>
    refunds.paymentOfKey(tx, team_id, must(refund.legs[0], 'it has a part').provider_key),
  findFailed: (tx, { team_id, failed }) => refunds.findFailed(tx, team_id, failed.attempt_id, failed.return_id),
  lockFailed: (tx, { team_id, failed }) => refunds.lockFailed(tx, team_id, failed.attempt_id, failed.return_id),
  lockRefund: (tx, { team_id, refund }) => refunds.lockRefund(tx, team_id, refund.id),
  lockUncovered: (tx, { team_id, payment }) => refunds.lockUncovered(tx, team_id, payment.id),
  takenByAttempt: (tx, { team_id, payment }) => refunds.takenByAttempt(tx, team_id, payment.id),
  refundsUnderWay: (tx, { team_id, payment }) => refunds.refundsUnderWay(tx, team_id, payment.id),
  updateRefund: (tx, { refund }) => refunds.updateRefund(tx, { ...refund, message: 'changed' }),
  pollNow: (tx, { team_id, refund }) => refunds.pollNow(tx, team_id, refund.id, NOW),
  writeRecheck: (tx, { refund }) => refunds.writeRecheck(tx, { ...refund, id: ENDED.refund, polls: 3, next_poll_at: DUE }, NOW),
  isSetAside: (tx, { refund }) => refunds.isSetAside(tx, refund, 0),
  sumReturned: (tx, { payment }) => refunds.sumReturned(tx, payment),
  writeResolution: (tx, { refund }) => refunds.writeResolution(tx, refund, { as: 'failed' }),
  findStatuses: (tx, { team_id, refund }) => refunds.findStatuses(tx, team_id, [refund.id]),
  listRefunds: (tx, { team_id }) => refunds.listRefunds(tx, 'live', team_id, {}, OFFSET),
  countRefunds: (tx, { team_id, payment }) => refunds.countRefunds(tx, 'live', team_id, { payment: payment.id }),
  shiftRefunds: (tx, { team_id }) => shiftRefunds(tx, { team_id, by_ms: 1_000, now: NOW }),
};

const RETURNS: Record<string, Work> = {
  findReturn: (tx, { owed }) => obligations.findReturn(tx, owed),
  lockReturn: (tx, { owed }) => obligations.lockReturn(tx, owed),
  updateReturn: (tx, { owed }) => obligations.updateReturn(tx, { ...owed, note: 'changed' }),
  'pollNow, nothing: no payout': (tx, { owed }) => obligations.pollNow(tx, owed, NOW, null, refunds.PAYOUT),
  'pollNow, a failed payout': (tx, { failed }) =>
    obligations.pollNow(tx, { team_id: failed.team_id, id: failed.return_id }, NOW, null, refunds.PAYOUT),
  recheckRefund: (tx, { team_id }) => obligations.recheckRefund(tx, team_id, ENDED.refund, NOW, refunds.FAILED_REFUNDS),
  'recheckRefund, nothing: a payout': (tx, { team_id, failed }) =>
    obligations.recheckRefund(tx, team_id, failed.id, NOW, refunds.FAILED_REFUNDS),
  'recheckRefund, nothing: another': (tx, { team_id, refund }) =>
    obligations.recheckRefund(tx, team_id, refund.id, NOW, refunds.FAILED_REFUNDS),
  listOpen: (tx, { team_id }) => obligations.listOpen(tx, team_id, 50),
  openReturns: (tx, { team_id }) => obligations.openReturns(tx, team_id),
  countForPerson: (tx, { team_id }) => obligations.countForPerson(tx, team_id, 50),
};

const DISPUTES: Record<string, Work> = {
  findDispute: (tx, { team_id, dispute }) => disputes.findDispute(tx, team_id, dispute.id),
  lockDispute: (tx, { team_id, dispute }) => disputes.lockDispute(tx, team_id, dispute.id),
  disputedOf: (tx, { team_id, dispute }) => disputes.disputedOf(tx, team_id, dispute.payment_id),
  findBlocking: (tx, { team_id, dispute }) => disputes.findBlocking(tx, team_id, dispute.payment_id),
  'findBlocking, nothing: none': (tx, { team_id, partial }) => disputes.findBlocking(tx, team_id, partial.id),
  updateDispute: (tx, { dispute }) => disputes.updateDispute(tx, { ...dispute, status: 'won' }),
  listDisputes: (tx, { team_id }) => disputes.listDisputes(tx, team_id, {}, OFFSET),
  countDisputes: (tx, { team_id }) => disputes.countDisputes(tx, team_id, {}),
  shiftDisputes: (tx, { team_id }) => disputes.shiftDisputes(tx, { team_id, by_ms: 1_000, now: NOW }),
};

const ended = ({ transfer }: Twins) => ({ ...transfer, id: ENDED.transfer, polls: 3, next_poll_at: DUE });

const TRANSFERS: Record<string, Work> = {
  findTransfer: (tx, { transfer }) => transfers.findTransfer(tx, transfer),
  findRecipients: (tx, { team_id, transfer }) => transfers.findRecipients(tx, team_id, [transfer.id]),
  findStandings: (tx, { team_id, transfer }) => transfers.findStandings(tx, team_id, [transfer.id]),
  lockTransfers: (tx, { transfer }) => transfers.lockTransfers(tx, [transfer]),
  updateTransfers: (tx, { transfer }) => transfers.updateTransfers(tx, [{ ...transfer, message: 'changed' }]),
  writePaidLate: (tx, twins) => latePayouts.writePaidLate(tx, { ...ended(twins), paid_late_at: NOW }),
  writeRecheck: (tx, twins) => transfers.writeRecheck(tx, ended(twins), NOW),
  recheckNow: (tx, twins) => transfers.recheckNow(tx, [ended(twins)], NOW),
  returnToAccount: (tx, { team_id }) =>
    transferCallbacks.returnToAccount(
      tx,
      { team_id, account_id: 'first', keyOf: (own) => own },
      { by: 'id', value: ENDED.turned_away },
      NOW,
    ),
  pollNow: (tx, { transfer: { team_id, id, provider_account } }) => {
    const from = { team_id, account_id: must(provider_account, 'sent'), keyOf: (own: string) => own };
    return transfers.pollNow(tx, from, { by: 'id', value: id }, NOW);
  },
  listTransfers: (tx, { team_id }) => transfers.listTransfers(tx, 'live', team_id, {}, OFFSET),
  countTransfers: (tx, { team_id }) => transfers.countTransfers(tx, 'live', team_id, {}),
  shiftTransfers: (tx, { team_id }) => transfers.shiftTransfers(tx, { team_id, by_ms: 1_000, now: NOW }),
};

const SETTLEMENT: Record<string, Work> = {
  lockItems: (tx, { team_id, payment }) => settlement.lockItems(tx, team_id, payment.id),
  itemsOfPayment: (tx, { team_id, payment }) => settlement.itemsOfPayment(tx, team_id, payment.id),
  changeItems: (tx, { team_id, payment }) =>
    settlement.changeItems(tx, team_id, payment.id, [{ account_id: '', waiting_minor: -100n, drawn_minor: 100n }]),
  markReleased: async (tx, { team_id, payment }) =>
    settlement.markReleased(tx, await settlement.lockItems(tx, team_id, payment.id), NOW, 'batch'),
  lockDueItems: (tx, { team_id, payment }) =>
    settlement.lockDueItems(tx, [{ team_id, payment_id: payment.id }], NOW, payments.LOCK_WANTED),
  releasesOf: (tx, { team_id, dispute }) => settlement.releasesOf(tx, team_id, dispute.payment_id),
  shiftReleases: (tx, { team_id }) => settlement.shiftReleases(tx, { team_id, by_ms: 1_000, now: NOW }),
};

const use = ({ team_id }: Twins) => ({ team_id, direction: 'payment', currency: 'XAF', day: DAY, amount_minor: 100n }) as const;

const LIMITS: Record<string, Work> = {
  takeUses: (tx, twins) => limits.takeUses(tx, [{ ...use(twins), daily_minor: 9_000n, monthly_minor: 9_000n }]),
  changeUses: (tx, twins) => limits.changeUses(tx, [use(twins)]),
};

const BOOKS: Record<string, Work> = {
  owedByTeam: (tx, { team_id }) => owedByTeam(tx, team_id, 'XAF'),
  readBalances: (tx, { team_id }) => readBalances(tx, team_id, 'XAF'),
  lockBalances: (tx, { team_id }) => lockBalances(tx, team_id, 'XAF', ['available', 'credit']),
  suspenseOf: (tx, { team_id, attempt }) => suspenseOf(tx, team_id, [{ source_id: attempt.id, kind: 'payment.part_captured' }]),
  booksOf: async (tx, { team_id }) =>
    (await booksOf(tx, team_id)).accounts.map((account) => ({ ...account, closed_before: null })),
  lastOfChunk: (tx, { team_id }) => lastOfChunk(tx, team_id, 0n, 2),
  bookedSums: (tx, { team_id }) => bookedSums(tx, { team_id, after: 0n, to: LAST_ID }, '9000000000000000000'),
  idsWithin: (tx, { team_id }) => idsWithin(tx, team_id, new Date(0), NOW),
  listSides: (tx, { team_id }) =>
    listSides(tx, team_id, SIDES, { order: 'newest', place: null, inclusive: false, offset: 0, limit: 50 }),
  countSides: (tx, { team_id }) => countSides(tx, team_id, SIDES),
};

const SIDES = {
  ...{ accounts: ['available', 'pending'], currencies: ['XAF'], kind: null, from: null, before: null },
  ids: { from: null, to: null },
} as Parameters<typeof countSides>[2];

const ROOMS: Record<string, { works: Record<string, Work>; stores: readonly object[] }> = {
  attempts: { works: ATTEMPTS, stores: [attempts] },
  payments: { works: PAYMENTS, stores: [payments, statementAmounts] },
  refunds: { works: REFUNDS, stores: [refunds, { shiftRefunds }] },
  returns: { works: RETURNS, stores: [obligations] },
  disputes: { works: DISPUTES, stores: [disputes] },
  transfers: { works: TRANSFERS, stores: [transfers, transferCallbacks, latePayouts] },
  settlement: { works: SETTLEMENT, stores: [settlement] },
  limits: { works: LIMITS, stores: [limits] },
  books: { works: BOOKS, stores: [] },
};

/** Functions of the stores that are not tried here. */
const NOT_OF_ONE_TEAM: readonly RegExp[] = [
  // They write rows that name their team themselves.
  /^insert/,
  // They look for due rows of all teams (test/work/claims.test.ts), or count those for the metrics.
  /^claim/,
  ...[/^duePayments$/, /^anyExpired$/, /^lockExpired$/, /^adoptAutomaticReturns$/, /^countOpen$/, /^countPaidLate$/],
  // They make parts of statements.
  ...[/^filtersOf$/, /^monthOf$/, /Searcher$/],
];

const STRANGER = 999_999n;
/** Statements that make the rows that they return, and one that returns the last possible id where there is none. */
const ALWAYS_SOMETHING: ReadonlySet<string> = new Set(['takeUses', 'lockBalances', 'lastOfChunk']);

for (const [room, { works, stores }] of Object.entries(ROOMS)) {
  test(`${room}: every statement of one team is tried`, () => {
    const names = stores.flatMap((store) =>
      Object.entries(store).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
    );
    const tried = new Set(Object.keys(works).map((title) => title.split(',')[0]));
    assert.deepEqual(
      names.filter((name) => !tried.has(name) && !NOT_OF_ONE_TEAM.some((pattern) => pattern.test(name))),
      [],
    );
  });

  for (const [name, work] of Object.entries(works)) {
    test(`${room}: ${name}`, async () => {
      const untouched = await twins.trial(async () => {});
      const alone = await twins.trial(work);
      const changed = Object.entries(alone.own).flatMap(([table, rows]) =>
        rows.filter((row) => !untouched.own[table]?.includes(row)),
      );
      if (!name.startsWith('shift')) assert.ok(changed.length <= (room === 'limits' ? 2 : 1), `too many: ${changed.join('\n')}`);
      assert.equal(isNothing(alone.result) && changed.length === 0, name.includes(', nothing'), 'finds or changes something');
      await twins.withTwin(async (pristine) => {
        const beside = await twins.trial(work);
        assert.deepEqual(beside.result, alone.result);
        assert.deepEqual(beside.own, alone.own);
        assert.deepEqual(beside.theirs, pristine);
      });
      // Asked for a team without rows: what it finds would be another team's.
      const stranger = await twins.trial((tx, one) => work(tx, ofTeam(one, STRANGER)));
      assert.deepEqual(stranger.own, untouched.own);
      if (!ALWAYS_SOMETHING.has(name)) assert.ok(isNothing(stranger.result), `found ${inspect(stranger.result)}`);
    });
  }
}

/** The same ids and contents, of another team. */
function ofTeam(one: Twins, team_id: bigint): Twins {
  const isRow = (value: unknown): value is object => typeof value === 'object' && value !== null && 'team_id' in value;
  const entries = Object.entries(one).map(([name, value]) => [name, isRow(value) ? { ...value, team_id } : value]);
  return { ...Object.fromEntries(entries), team_id };
}

function isNothing(result: unknown): boolean {
  if (result instanceof Map || result instanceof Set) return result.size === 0;
  return !result || (typeof result === 'object' && Object.values(result).every(isNothing));
}
