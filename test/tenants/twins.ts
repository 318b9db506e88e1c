import { takenBack } from '../setup/taken-back.ts';
import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import type { DisputeRow } from '../../src/core/disputes/schema.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import { recordObligations } from '../../src/core/obligations/create.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { findReturn } from '../../src/core/obligations/store.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { type Continuing, findPayment } from '../../src/core/payments/store.ts';
import type { RefundRow } from '../../src/core/refunds/schema.ts';
import type { TransferRow } from '../../src/core/transfers/schema.ts';
import { findTransfer } from '../../src/core/transfers/store.ts';
import { must } from '../../src/kit/errors.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import { PENDING, RefundShop } from '../refunds/support.ts';
import { startPayment } from '../setup/pay.ts';
import { fund, transfer } from '../transfers/support.ts';

const TABLES = [
  ...['payments', 'attempts', 'refunds', 'returns', 'disputes', 'transfers', 'settlement_items', 'journals', 'postings'],
  ...['balances', 'balance_deltas', 'idempotency_keys', 'ceiling_uses'],
];

/** Rows of one team, as text by table. */
type Rows = Record<string, string[]>;

interface Trial {
  result: unknown;
  own: Rows;
  theirs: Rows;
}

/** A team with rows of every kind, and another that has the same ones for a while. */
export interface Twins {
  /** As the owner of the tables, to whom no policy applies. */
  owner: RefundShop['owner'];
  team_id: bigint;
  /** Paid in two tranches, refunded in part. */
  payment: PaymentRow;
  /** A captured tranche of it. */
  attempt: AttemptRow;
  /** Its second refund, which is under way. */
  refund: RefundRow;
  /** Under way. */
  open: AttemptRow;
  /** Between two tranches. */
  partial: Continuing;
  owed: ReturnRow;
  /** A payout of another return that failed. */
  failed: { team_id: bigint; id: string; attempt_id: string; return_id: string };
  dispute: DisputeRow;
  transfer: TransferRow;
  /** Runs statements as the owner of the tables, and takes their changes back. */
  trial(work: (tx: Tx, twins: Twins) => Promise<unknown>): Promise<Trial>;
  /** Runs the work while the other team exists. */
  withTwin(work: (theirs: Rows) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openTwins(): Promise<Twins> {
  const shop = await RefundShop.open();
  await shop.begin();
  const rows = await makeRows(shop);
  const { owner } = shop;
  // Its ids are those of the server, not of a team.
  await owner.run(sql`alter table balance_deltas drop constraint balance_deltas_pkey`);
  const twin = rows.team_id + 1_000n;
  const trial: Twins['trial'] = (work) =>
    takenBack(owner, async (tx) => {
      const result = await work(tx, twins);
      return { result, own: await rowsOf(tx, rows.team_id), theirs: await rowsOf(tx, twin) };
    });
  const withTwin: Twins['withTwin'] = async (work) => {
    await owner.transaction((tx) => copyRows(tx, rows.team_id, twin));
    try {
      await work(await rowsOf(owner, twin));
    } finally {
      for (const table of TABLES) await owner.run(text(`delete from ${table} where team_id = ${twin}`));
    }
  };
  const twins: Twins = { owner, ...rows, trial, withTwin, close: () => shop.close() };
  return twins;
}

async function makeRows(shop: RefundShop): Promise<Omit<Twins, 'owner' | 'trial' | 'withTwin' | 'close'>> {
  const { team } = shop.merchant;
  const team_id = team.id;
  const { db } = shop.store;
  const payment = await shop.paid(900_000);
  await shop.become((await shop.refund(payment, 1_000)).id, 'succeeded');
  shop.provider.submits.set(0, [PENDING]);
  const refund = await shop.become((await shop.refund(payment, 2_000)).id, 'processing');
  const disputed = await shop.paid(10_000);
  const dispute = await openDispute(shop.api.deps, shop.store, { team_id, payment_id: disputed, reason: 'fraudulent' });
  const { id: waiting } = await startPayment(shop.api, {
    ...{ key: shop.key, amount: 900_000, fields: { reference: 'INV-1' } },
    headers: { 'idempotency-key': 'key-1' },
  });
  const attemptsOf = (id: string) => db.all<{ id: string }>(sql`select id from attempts where payment_id = ${id} order by id`);
  const [first, second] = (await attemptsOf(payment)) as [{ id: string }, { id: string }];
  const [open] = (await attemptsOf(waiting)) as [{ id: string }];
  await shop.owner.run(sql`update attempts set status = 'created', provider_ref = null where id = ${open.id}`);
  await shop.owner.run(sql`update payments set status = 'partial', continue_at = now() where id = ${waiting}`);
  await shop.owner.run(sql`update settlement_items set released_by = 'batch_0' where payment_id = ${disputed}`);
  const context = { environment: 'live', at: shop.clock.now() } as const;
  const owing = { team_id, payment_id: payment, amount_minor: 100n, currency: 'XAF' };
  await db.transaction((tx) =>
    recordObligations(tx, context, [
      { ...owing, attempt_id: first.id },
      { ...owing, attempt_id: second.id },
    ]),
  );
  const [owed, done] = (await db.all<{ id: string }>(sql`select id from returns order by attempt_id`)) as [
    { id: string },
    { id: string },
  ];
  const failed = { team_id, id: 'rfd_failed', attempt_id: second.id, return_id: done.id };
  await shop.owner.run(sql`
    insert into refunds select (jsonb_populate_record(r, to_jsonb(r) || jsonb_build_object('id', ${failed.id}::text, 'kind', 'giveback',
      'way', 'payout', 'status', 'failed', 'attempt_id', ${second.id}::text, 'return_id', ${done.id}::text,
      'legs', '[{"attempt_id": "x", "amount_minor": "5", "provider_key": "k", "status": "failed"}]'::jsonb))).*
    from refunds r where id = ${refund.id}`);
  await fund(shop.api, team, 100_000, shop.store);
  const sent = await transfer(shop.api, team, shop.store, { amount: 500 });
  await transfer(shop.api, team, shop.store, { amount: 600 });
  const { id: transfer_id } = (sent.body as { transfer: { id: string } }).transfer;
  await shop.owner.run(sql`
    update transfers set stage = 'dispatched', provider_account = 'sandbox', dispatched_at = now() where id = ${transfer_id}`);
  return {
    ...{ team_id, failed, dispute },
    payment: must(await findPayment(db, team_id, payment), 'paid'),
    attempt: must(await findAttempt(db, team_id, first.id), 'a tranche'),
    refund: must(await shop.row(refund.id), 'under way'),
    open: must(await findAttempt(db, team_id, open.id), 'under way'),
    partial: { ...must(await findPayment(db, team_id, waiting), 'partial'), provider_account: null } as Continuing,
    owed: must(await findReturn(db, { team_id, id: owed.id }), 'owed'),
    transfer: must(await findTransfer(db, { team_id, id: transfer_id }), 'sent'),
  };
}

async function rowsOf(db: Pick<Tx, 'all'>, team_id: bigint): Promise<Rows> {
  const rows: Rows = {};
  for (const table of TABLES) {
    const found = await db.all<{ row: string }>(
      text(`select t::text as row from ${table} t where team_id = ${team_id} order by 1`),
    );
    rows[table] = found.map(({ row }) => row);
  }
  return rows;
}

/** Gives another team the same rows, with the same ids. */
async function copyRows(tx: Tx, from: bigint, to: bigint): Promise<void> {
  for (const table of TABLES) {
    const rows = await tx.all<{ name: string }>(
      text(`select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and attgenerated = ''
        and not attisdropped`),
    );
    const names = rows.map(({ name }) => name);
    const values = names.map((name) => (name === 'team_id' ? String(to) : name));
    await tx.run(
      text(
        `insert into ${table} (${names.join(', ')}) overriding system value select ${values.join(', ')} from ${table} where team_id = ${from}`,
      ),
    );
  }
}

function text(statement: string): Sql {
  return { text: statement, values: [] };
}
