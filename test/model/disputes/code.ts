import { changeDispute, openDispute } from '../../../src/core/disputes/service.ts';
import type { DisputeTrigger } from '../../../src/core/disputes/states.ts';
import type { Blocking } from '../../../src/core/disputes/store.ts';
import { cover } from '../../../src/core/refunds/service.ts';
import type { RefundRow } from '../../../src/core/refunds/schema.ts';
import { Problem } from '../../../src/kit/errors.ts';
import { newId } from '../../../src/kit/ids.ts';
import type { Db, Sql, Tx } from '../../../src/kit/sql.ts';
import { type Draw as Drawn, returnDrawn } from '../../../src/money/settlement/draw.ts';
import { releaseItems } from '../../../src/money/settlement/release.ts';
import type { SettlementItem } from '../../../src/money/settlement/store.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import type { Store } from '../../../src/platform/db/stores.ts';
import { type Claim, type Draw, isDisputed, lostOf, OPEN, type Payment, type World } from './world.ts';

/*
 * Runs the program's own functions on the books of a state of the model: a transaction that holds the balances and the settlement
 * item of one payment in memory, and applies the journals that are posted.
 */

const UNIT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const DISPUTE = newId('dsp', 'live', NOW);
const config = readConfig({});
const deps = { clock: { now: () => NOW } };

/** What a change leaves in the books, in units. */
export interface Figures {
  available: number;
  credit: number;
  disputed: number;
  clearing: number;
  gone: number;
  pending: number;
}

export function figuresOf({ payments, available, credit, disputed, clearing, gone }: World): Figures {
  return { available, credit, disputed, clearing, gone, pending: (payments[0] as Payment).pending };
}

/** Opens a dispute. Null: it was rejected. */
export async function codeDisputed(world: World): Promise<{ figures: Figures; draw: Draw } | null> {
  const books = new Books(world);
  const pending = (world.payments[0] as Payment).refunds.filter(({ status }) => status === 'pending');
  const refundsUnderWay = async () => BigInt(pending.reduce((sum, { units }) => sum + units, 0)) * UNIT;
  const opening = { team_id: 1n, payment_id: 'trx_model', reason: 'fraudulent' };
  const row = await unlessRejected(
    openDispute({ ...deps, refundsUnderWay, endUncoveredRefunds: async () => {} }, books.store, opening),
  );
  return row && { figures: books.figures(), draw: unitsOf(row.draws) };
}

/** Changes the dispute of a payment. Null: it was rejected. */
export async function codeChanged(
  world: World,
  dispute: Claim,
  trigger: string,
): Promise<{ figures: Figures; status: string } | null> {
  const books = new Books(world, dispute);
  const ref = { team_id: 1n, id: DISPUTE };
  const row = await unlessRejected(changeDispute(deps, books.store, ref, trigger as DisputeTrigger));
  return row && { figures: books.figures(), status: row.status };
}

/** Covers a refund. */
export async function codeCovered(world: World, units: number): Promise<{ figures: Figures; draw: Draw | null }> {
  const books = new Books(world);
  const refund = { ...CLAIM, id: 'rfd_model', amount_minor: BigInt(units) * UNIT, draws: null } as unknown as RefundRow;
  const { draws } = await cover(books.tx, config, books.store, refund);
  return { figures: books.figures(), draw: draws && unitsOf(draws) };
}

/** Gives back the money of a failed refund. */
export async function codeGivenBack(world: World, draw: Draw): Promise<Figures> {
  const books = new Books(world);
  const into = { ...CLAIM, kind: 'refund.returned', source_id: 'rfd_model', from: 'refund_clearing' } as const;
  await returnDrawn(books.tx, into, drawsOf(draw), BigInt(draw.pending + draw.available + draw.credit) * UNIT);
  return books.figures();
}

/** Releases what is pending. */
export async function codeReleased(world: World): Promise<Figures> {
  const books = new Books(world);
  await releaseItems(books.tx, [{ ...books.item }], NOW);
  return books.figures();
}

const CLAIM = { team_id: 1n, payment_id: 'trx_model', currency: 'XAF' } as const;
const BUCKETS = ['pending', 'available', 'credit'] as const;

async function unlessRejected<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error) => {
    if (error instanceof Problem && error.status === 400) return null;
    throw error;
  });
}

function unitsOf(draws: readonly Drawn[]): Draw {
  const of = (bucket: string) =>
    Number(draws.filter((draw) => draw.bucket === bucket).reduce((sum, { amount_minor }) => sum + amount_minor, 0n) / UNIT);
  return { pending: of('pending'), available: of('available'), credit: of('credit') };
}

function drawsOf(draw: Draw): Drawn[] {
  return BUCKETS.filter((bucket) => draw[bucket] > 0).map((bucket) => ({
    ...{ account_id: '', bucket, amount_minor: BigInt(draw[bucket]) * UNIT },
  }));
}

/** The balances and the settlement item of one payment. */
class Books {
  readonly item: SettlementItem;
  readonly tx: Tx;
  readonly store: Store;
  readonly #balances: Map<string, bigint>;
  readonly #world: World;

  constructor(world: World, dispute?: Claim) {
    this.#world = world;
    const { available, credit, disputed, clearing } = world;
    const payment = world.payments[0] as Payment;
    const { share, pending, released } = payment;
    this.#balances = new Map(
      Object.entries({ available, credit, disputed, refund_clearing: clearing }).map(([name, units]) => [
        name,
        BigInt(units) * UNIT,
      ]),
    );
    this.item = {
      ...{ team_id: 1n, payment_id: 'trx_model', account_id: '', currency: 'XAF', share_minor: BigInt(share) * UNIT },
      ...{ amount_minor: BigInt(pending) * UNIT, release_at: new Date(NOW), released_at: released ? new Date(NOW) : null },
    };
    const lost_minor = BigInt(lostOf(payment)) * UNIT;
    const blocking = { open: isDisputed(payment) ? DISPUTE : null, lost: lost_minor > 0n ? DISPUTE : null, lost_minor };
    const read = (statement: Sql) => this.#read(statement, paymentRow(payment), dispute, blocking);
    this.tx = {
      inTransaction: true,
      all: async <Row>(statement: Sql) => read(statement) as Row[],
      maybe: async <Row>(statement: Sql) => read(statement)[0] as Row | undefined,
      run: async (statement) => this.#write(statement),
    };
    const db = { ...this.tx, transaction: <T>(work: (tx: Tx) => Promise<T>) => work(this.tx) } as unknown as Db;
    this.store = { environment: 'live', db } as Store;
  }

  figures(): Figures {
    const of = (name: string) => Number((this.#balances.get(name) ?? 0n) / UNIT);
    const { available, credit, disputed } = { available: of('available'), credit: of('credit'), disputed: of('disputed') };
    const gone = this.#world.gone + of('clearing');
    return { available, credit, disputed, clearing: of('refund_clearing'), gone, pending: Number(this.item.amount_minor / UNIT) };
  }

  #read({ text, values }: Sql, payment: object, dispute: Claim | undefined, blocking: Blocking): object[] {
    const owed = -(this.#balances.get('credit') ?? 0n);
    if (/insert into journals/.test(text)) return this.#post(String(values[0]));
    if (/update balances/.test(text)) return (JSON.parse(String(values[0])) as object[]).map((_, n) => ({ n }));
    if (/select account, posted_minor/.test(text))
      return (values[2] as string[]).map((name) => ({ account: name, posted_minor: this.#balances.get(name) ?? 0n }));
    if (/-sum\(posted_minor\)/.test(text)) return [{ owed }];
    if (/posted_minor < 0/.test(text)) return owed > 0n ? [{ team_id: 1n, currency: 'XAF', account: 'credit' }] : [];
    if (/from settlement_items/.test(text)) return [this.item];
    if (/status in \('needs_response'/.test(text)) return [blocking];
    if (/from disputes/.test(text)) return dispute ? [disputeRow(dispute)] : [];
    return /from payments/.test(text) ? [payment] : [];
  }

  #post(json: string): { n: number }[] {
    const journals = JSON.parse(json) as { n: number; postings: { debit: string; credit: string; amount_minor: string }[] }[];
    for (const { debit, credit, amount_minor } of journals.flatMap(({ postings }) => postings)) {
      this.#balances.set(debit, (this.#balances.get(debit) ?? 0n) - BigInt(amount_minor));
      this.#balances.set(credit, (this.#balances.get(credit) ?? 0n) + BigInt(amount_minor));
    }
    return journals.map(({ n }) => ({ n }));
  }

  #write({ text, values }: Sql): number {
    if (/amount_minor = i\.amount_minor \+/.test(text) && this.item.released_at === null)
      for (const { waiting_minor } of JSON.parse(String(values[0])) as { waiting_minor: string }[])
        this.item.amount_minor += BigInt(waiting_minor);
    if (/set amount_minor = 0, released_minor/.test(text))
      Object.assign(this.item, { amount_minor: 0n, released_at: new Date(NOW) });
    return 1;
  }
}

function paymentRow({ share, refunds }: Payment) {
  const refunded = refunds.reduce((sum, { status, units }) => sum + (status === 'succeeded' ? units : 0), 0);
  const status = refunded === 0 ? 'succeeded' : refunded < share ? 'partially_refunded' : 'refunded';
  return {
    ...{
      team_id: 1n,
      id: 'trx_model',
      status,
      currency: 'XAF',
      amount_minor: BigInt(share) * UNIT,
      captured_minor: BigInt(share) * UNIT,
    },
    refunded_minor: BigInt(refunded) * UNIT,
  };
}

function disputeRow({ units, status, draw }: Claim) {
  if (draw === null || ![...OPEN, 'won', 'lost', 'closed'].includes(status)) throw new Error('a dispute is drawn');
  return {
    ...{
      ...CLAIM,
      id: DISPUTE,
      amount_minor: BigInt(units) * UNIT,
      status,
      reason: 'fraudulent',
      evidence: null,
      event_count: 1,
    },
    ...{ draws: drawsOf(draw), due_at: new Date(NOW + 1), created_at: new Date(NOW), updated_at: new Date(NOW), closed_at: null },
  };
}
