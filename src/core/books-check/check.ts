import type { Queryable } from '../../kit/sql.ts';
import { decimal } from '../../money/ledger/decimal.ts';
import type { BooksCheck, Compared, Report } from './differences.ts';
import { archivedWithin } from '../payments/archived-store.ts';
import { comparePayments, lastPaymentOfChunk, type SubjectRange } from './payments-store.ts';
import { FEW_SUBJECTS } from './planning.ts';
import { checkSetAside } from './reconciliation.ts';
import {
  compareReleases,
  findOwing,
  findStrays,
  hasFewSubjects,
  nextTeam,
  PAYMENTS,
  refreshStatistics,
  TRANSFERS,
} from './team-store.ts';
import { compareTransfers, lastTransferOfChunk } from './transfers-store.ts';

/** Payments or transfers compared in one statement, which takes about a second on a busy machine. */
export const CHUNK = 5_000;
const MAX_STRAYS = 1_000;

/**
 * Compares the ledger with the rows of payments, refunds, transfers, disputes, settlement items and reconciliation breaks. The
 * ledger's own verification proves that balances are the sum of their lines; this check proves that the lines match the
 * recorded business events. It can run while payments are processed: each statement compares both sides in one snapshot. Memory
 * use does not grow with the ledger.
 * @param compared called after each chunk with the number of chunks so far
 */
export async function checkBooks(
  db: Queryable,
  report: Report,
  compared: (chunks: number) => void = () => undefined,
): Promise<void> {
  let chunks = 0;
  await refreshStatistics(db);
  for (let team_id = await nextTeam(db, 0n); team_id !== null; team_id = await nextTeam(db, team_id)) {
    await checkTeam(db, team_id, report, () => {
      chunks += 1;
      compared(chunks);
    });
  }
}

/**
 * Compares one team's ledger with its rows.
 * @param few_subjects payments and transfers up to which the team is compared with plans that PostgreSQL keeps
 */
export async function checkTeam(
  db: Queryable,
  team_id: bigint,
  report: Report,
  compared = () => {},
  few_subjects = FEW_SUBJECTS,
): Promise<void> {
  const few = await hasFewSubjects(db, team_id, few_subjects);
  for await (const range of rangesOf(db, { team_id, ...PAYMENTS, few }, lastPaymentOfChunk)) {
    reportAll(report, team_id, await compareRange(db, range), checkOfAccount);
    compared();
  }
  for await (const range of rangesOf(db, { team_id, ...TRANSFERS, few }, lastTransferOfChunk)) {
    reportAll(report, team_id, await compareTransfers(db, range), () => 'transfer_money');
    compared();
  }
  reportAll(report, team_id, await compareReleases(db, team_id, few), () => 'released_items');
  for (const { currency, party, available_minor, credit_minor, subject } of await findOwing(db, team_id, few)) {
    report({
      check: 'credit_not_repaid',
      team_id,
      what: `${currency} credit${party}, since ${subject ?? 'no journal'}`,
      subject: subject ?? '',
      expected: 'nothing available while credit is owed',
      found: `${decimal(available_minor)} available, credit ${decimal(credit_minor)}`,
    });
  }
  for (const { id, kind, subject_id } of await findStrays(db, team_id, MAX_STRAYS)) {
    report({
      check: 'unknown_subject',
      team_id,
      what: `journal ${id} (${kind})`,
      subject: subject_id,
      expected: 'a payment or transfer',
      found: subject_id,
    });
  }
  await checkSetAside(db, team_id, report);
}

/**
 * Compares a range, and compares it again when it differs and payments of it were archived meanwhile. Attempts that are archived after
 * the texts were read are neither in these texts nor in the table.
 */
async function compareRange(db: Queryable, range: SubjectRange): Promise<Compared[]> {
  for (let archived = await archivedWithin(db, range); ; ) {
    const differences = await comparePayments(db, range, archived);
    if (differences.length === 0) return differences;
    const known = new Set(archived.map(({ id }) => id));
    archived = await archivedWithin(db, range);
    if (archived.every(({ id }) => known.has(id))) return differences;
  }
}

type LastOfChunk = (db: Queryable, team_id: bigint, after: string, chunk: number) => Promise<string | null>;

/** Yields ranges without gaps, so that journals about an id that does not exist are in a range too. */
async function* rangesOf(db: Queryable, all: SubjectRange, lastOfChunk: LastOfChunk): AsyncGenerator<SubjectRange> {
  for (let after: string | null = all.after; after !== null; ) {
    const last: string | null = all.few ? null : await lastOfChunk(db, all.team_id, after, CHUNK);
    yield { ...all, after, to: last ?? all.to };
    after = last;
  }
}

function reportAll(report: Report, team_id: bigint, rows: Compared[], checkOf: (account: string) => BooksCheck): void {
  for (const { subject, currency, account, expected, found } of rows) {
    const what = `${currency} ${account} of ${subject}`;
    report({ check: checkOf(account), team_id, what, subject, expected: decimal(expected), found: decimal(found) });
  }
}

const CHECKS: Record<string, BooksCheck> = {
  pending: 'pending_items',
  refund_clearing: 'refund_clearing',
  clearing: 'clearing',
  hold: 'suspense',
  owed: 'money_to_return',
  disputed: 'disputed',
  fee_income: 'fee_income',
  share: 'party_share',
  credit: 'credit_advanced',
  refunded: 'amount_refunded',
  excess: 'returned_too_much',
};

function checkOfAccount(account: string): BooksCheck {
  return CHECKS[account.split(':')[0] as string] ?? 'unknown_subject';
}
