import assert from 'node:assert/strict';
import { readBalance } from '../../src/core/balance/service.ts';
import type { Queryable, Sql } from '../../src/kit/sql.ts';
import { type Account, account } from '../../src/money/ledger/accounts.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { Split } from '../../src/money/settlement/shares.ts';
import { newTeamId } from '../../src/tenants/teams/service.ts';
import { Books } from './books.ts';
import { type Paid, Payments } from './payments.ts';
import { type Order, Pieces } from './tranches.ts';
import type { TrancheUpdate } from './tranches-model.ts';
import { type Lane, service } from './service.ts';
import { Transfers } from './transfers.ts';
import type { PayoutNews } from './transfers-model.ts';

export type Command =
  | ({ kind: 'pay' } & Paid)
  | { kind: 'refund'; payment: number; percent: number }
  | { kind: 'release' }
  | { kind: 'cover' }
  | { kind: 'dispute'; payment: number }
  | { kind: 'decide'; payment: number; won: boolean }
  | { kind: 'transfer'; percent: number; twice: boolean }
  | { kind: 'send'; transfer: number; news: PayoutNews }
  | ({ kind: 'order' } & Order)
  | { kind: 'collect'; payment: number; news: TrancheUpdate }
  | { kind: 'late'; payment: number }
  | { kind: 'resolve'; payment: number; as: 'succeeded' | 'failed' }
  | { kind: 'expire'; payment: number };

/** Accounts that are not the merchant's. */
const PLATFORM = new Set<Account>(['clearing', 'refund_clearing', 'fee_income']);
const GUARDED = ['available', 'reserved'] as const;

/** One team: its commands go to the service and to the model. */
export class MoneyBench {
  readonly #lane: Lane;
  readonly #payments: Payments;
  readonly #transfers: Transfers;
  readonly #pieces: Pieces;

  constructor(currency: string, split: Split) {
    this.#lane = { ...service(), team_id: newTeamId(), currency, books: new Books(currency) };
    this.#payments = new Payments(this.#lane, split);
    this.#transfers = new Transfers(this.#lane);
    this.#pieces = new Pieces(this.#lane, this.#payments);
  }

  async run(command: Command): Promise<void> {
    switch (command.kind) {
      case 'pay':
        return this.#payments.pay(command);
      case 'refund':
        return this.#payments.refund(command.payment, command.percent);
      case 'release':
        return this.#payments.release();
      case 'cover':
        return this.#payments.cover();
      case 'dispute':
        return this.#payments.dispute(command.payment);
      case 'decide':
        return this.#payments.decide(command.payment, command.won);
      case 'transfer':
        return this.#transfers.create(command.percent, command.twice);
      case 'send':
        return this.#transfers.step(command.transfer, command.news);
      case 'order':
        return this.#pieces.order(command);
      case 'collect':
        return this.#pieces.collect(command.payment, command.news);
      case 'late':
        return this.#pieces.late(command.payment);
      case 'resolve':
        return this.#pieces.resolve(command.payment, command.as);
      case 'expire':
        return this.#pieces.expire(command.payment);
    }
  }

  /**
   * Every account of the team is what the model says, in every currency; nothing guarded is below zero; the total that is
   * shown is the sum of the seven buckets; the books sum to zero.
   */
  async agree(): Promise<void> {
    const { books } = this.#lane;
    const currencies = new Set([books.currency, ...books.accounts().map(({ currency }) => currency)]);
    for (const currency of currencies) {
      const moment = frozen(this.#lane.store.db);
      await this.#booksAgree(moment, currency);
      await this.#totalFits(moment, currency);
    }
  }

  async #booksAgree(moment: Queryable, currency: string): Promise<void> {
    const { team_id, books } = this.#lane;
    const found = await readBalances(moment, team_id, currency);
    assert.equal(sum([...found.values()]), 0n, 'the books sum to zero');
    for (const { bucket, party, amount } of books.accounts().filter((one) => one.currency === currency)) {
      const name = account(bucket, party === '' ? null : party);
      assert.equal(found.get(name) ?? 0n, amount, `${name} of team ${team_id} in ${currency}`);
      found.delete(name);
    }
    for (const [name, amount] of found) {
      if (!PLATFORM.has(name))
        assert.equal(amount, 0n, `${name} of team ${team_id} in ${currency}, which nothing should have moved`);
    }
    assert.equal(found.get('refund_clearing') ?? 0n, 0n, 'no refund is under way between commands');
  }

  async #totalFits(moment: Queryable, currency: string): Promise<void> {
    const { total, currency: _, ...buckets } = await readBalance(moment, this.#lane.team_id, currency, null);
    for (const bucket of GUARDED) assert.ok(buckets[bucket] >= 0, `${bucket} is ${buckets[bucket]}`);
    const hundredths = Object.values(buckets).map((amount) => BigInt(Math.round(amount * 100)));
    assert.equal(BigInt(Math.round(total * 100)), sum(hundredths), 'the total is the sum of the seven others');
  }
}

/** Answers as it answered first: two readers of the same balance see one moment, for one query. */
function frozen(db: Queryable): Queryable {
  let first: Promise<unknown[]> | undefined;
  return {
    ...db,
    all: <Row>(statement: Sql) => {
      first ??= db.all<Row>(statement) as Promise<unknown[]>;
      return first as Promise<Row[]>;
    },
  };
}

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
