import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import type { Account } from '../../src/money/ledger/accounts.ts';
import type { Draw } from '../../src/money/settlement/draw.ts';
import type { SettlementItem } from '../../src/money/settlement/store.ts';
import { book } from '../ledger/books.ts';

export const AT = new Date('2030-01-01T00:00:00Z');
const text = (statement: string): Sql => ({ text: statement, values: [] });

/** A share of which all is pending. */
const ITEM: SettlementItem = {
  ...{ team_id: 1n, payment_id: 'trx_1', account_id: '', currency: 'XAF', share_minor: 1_000n, amount_minor: 1_000n },
  ...{ release_at: AT, released_at: null },
};
export const item = (changes: Partial<SettlementItem> = {}): SettlementItem => ({ ...ITEM, ...changes });

/** A payment of these parties, in hundredths. */
export async function insertPayment(tx: Tx, amount_minor: bigint, fee_minor = 0n, bearer = 'merchant'): Promise<void> {
  const captured_minor = bearer === 'customer' ? amount_minor + fee_minor : amount_minor;
  await tx.run(sql`
    insert into payments (team_id, id, amount_minor, fee_minor, captured_minor, currency, status, bearer, key_id, request_id,
      created_at, updated_at, expires_at)
    values (1, 'trx_1', ${amount_minor}, ${fee_minor}, ${captured_minor}, 'XAF', 'succeeded', ${bearer}, 'key_1', 'req_1',
      ${AT}, ${AT}, ${AT})`);
}

/** All items, as text in order of their keys. */
export async function items(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ row: string }>(
    text(`
    select concat_ws(' ', team_id, payment_id, '"' || account_id || '"', currency, share_minor, amount_minor, released_minor,
      extract(epoch from released_at - '${AT.toISOString()}'), released_by) as row
    from settlement_items order by team_id, payment_id, account_id`),
  );
  return rows.map(({ row }) => row);
}

/** All journals, each with its lines. */
export async function journals(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ row: string }>(
    text(`
    select concat_ws(' ', j.team_id, p.currency, j.kind, j.source_id, j.subject_id, ':',
      string_agg(p.debit || '>' || p.credit || ' ' || p.amount_minor, ', ' order by p.line)) as row
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id where j.kind <> 'given'
    group by j.team_id, j.id, p.currency, j.kind, j.source_id, j.subject_id order by j.kind, j.team_id, j.id`),
  );
  return rows.map(({ row }) => row);
}

/** Gives a party money, or lets the platform advance it. */
export async function give(tx: Tx, lines: [Account, Account, bigint][], team_id = 1n, currency = 'XAF'): Promise<void> {
  await book(tx, lines, { team_id, currency, kind: 'given' });
}

export const drawn = (account_id: string, bucket: Draw['bucket'], amount_minor: bigint): Draw => ({
  account_id,
  bucket,
  amount_minor,
});

export const sumOf = (draws: readonly Draw[]) => draws.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
