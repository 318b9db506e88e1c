import type { Books } from './books.ts';
import { givenOf, type ModelShare } from './money-model.ts';

interface Drawn {
  party: string;
  bucket: 'pending' | 'available' | 'credit';
  amount: bigint;
}

interface ModelPayment {
  id: string;
  amount: bigint;
  /** What the payer was charged: with the fee where the customer bears it. */
  charged: bigint;
  shares: ModelShare[];
  /** What refunds and disputes took from each party and did not give back, in the order of the shares. */
  given: bigint[];
  /** What still waits for its hold to end, by party; released parties are gone from here. */
  waiting: Map<string, bigint>;
  refunded: bigint;
  /** Refunds that wait for money. */
  uncovered: { id: string; amount: bigint }[];
  refunds_fail: boolean;
  dispute: { id: string; draws: Drawn[] } | null;
  lost: boolean;
}

/** A payment that was paid; `held`: its money waits for its hold to end. */
export interface PaidInModel extends Pick<ModelPayment, 'id' | 'amount' | 'charged' | 'shares' | 'refunds_fail'> {
  held: boolean;
}

/** What a refund came to. */
export type RefundResult = 'refused' | 'waits' | 'succeeded' | 'failed';

/** Payments that were paid, and what became of their money. */
export class PaymentsModel {
  readonly payments: ModelPayment[] = [];
  readonly #books: Books;
  readonly #cap: bigint;

  constructor(books: Books, cap: bigint) {
    this.#books = books;
    this.#cap = cap;
  }

  pay({ id, amount, charged, shares, held, refunds_fail }: PaidInModel): void {
    const waiting = new Map(held ? shares.map((share) => [share.account_id, share.amount_minor]) : []);
    const given = shares.map(() => 0n);
    const none = { refunded: 0n, uncovered: [], dispute: null, lost: false };
    this.payments.push({ id, amount, charged, shares, given, waiting, refunds_fail, ...none });
    for (const { account_id, amount_minor } of shares) {
      this.#books.add(held ? 'pending' : 'available', account_id, amount_minor);
      if (!held) this.#books.repay(account_id);
    }
  }

  /** Every hold is over. */
  release(): void {
    const parties = new Set<string>();
    for (const payment of this.payments) {
      for (const [party, amount] of payment.waiting) {
        this.#books.add('pending', party, -amount);
        this.#books.add('available', party, amount);
        parties.add(party);
      }
      payment.waiting.clear();
    }
    for (const party of parties) this.#books.repay(party);
  }

  left(payment: ModelPayment): bigint {
    return payment.amount - payment.refunded - payment.uncovered.reduce((sum, { amount }) => sum + amount, 0n);
  }

  refund(payment: ModelPayment, amount: bigint): RefundResult {
    if (payment.dispute || payment.lost || payment.refunded === payment.amount || amount <= 0n || amount > this.left(payment))
      return 'refused';
    const draws = this.#draw(payment, amount, this.#cap);
    if (!draws) return 'waits';
    return this.#settleRefund(payment, amount, draws);
  }

  /** A refund that waited is tried again. */
  cover(payment: ModelPayment, waiting: { id: string; amount: bigint }): RefundResult {
    const draws = this.#draw(payment, waiting.amount, this.#cap);
    if (!draws) return 'waits';
    payment.uncovered.splice(payment.uncovered.indexOf(waiting), 1);
    return this.#settleRefund(payment, waiting.amount, draws);
  }

  dispute(payment: ModelPayment, id: string): bigint | null {
    if (payment.dispute || payment.lost || payment.refunded === payment.amount) return null;
    // The payer has the money back by the chargeback: a refund that waits for money is not sent any more.
    payment.uncovered.length = 0;
    // The payer disputes what was charged.
    const amount = payment.charged - payment.refunded;
    const draws = this.#draw(payment, amount, null) as Drawn[];
    for (const { party, amount: part } of draws) this.#books.add('disputed', party, part);
    payment.dispute = { id, draws };
    return amount;
  }

  closeDispute(payment: ModelPayment, won: boolean): void {
    const { draws } = payment.dispute as NonNullable<ModelPayment['dispute']>;
    payment.dispute = null;
    payment.lost = !won;
    for (const { party, amount } of draws) this.#books.add('disputed', party, -amount);
    if (!won) return;
    for (const party of this.#putBack(payment, draws)) this.#books.repay(party);
  }

  #settleRefund(payment: ModelPayment, amount: bigint, draws: Drawn[]): RefundResult {
    if (payment.refunds_fail) {
      for (const party of this.#putBack(payment, draws)) this.#books.repay(party);
      return 'failed';
    }
    payment.refunded += amount;
    return 'succeeded';
  }

  #draw(payment: ModelPayment, amount: bigint, cap: bigint | null): Drawn[] | null {
    const before = payment.given.reduce((sum, part) => sum + part, 0n);
    const given = givenOf(before + amount, payment, this.#books.currency);
    const parts = given.map((part, i) => part - (payment.given[i] as bigint));
    const draws: Drawn[] = [];
    const owed = this.#books.accounts().reduce((sum, { bucket, amount }) => (bucket === 'credit' ? sum - amount : sum), 0n);
    let left = cap === null ? null : cap - owed;
    for (const [i, { account_id: party }] of payment.shares.entries()) {
      let missing = parts[i] as bigint;
      const take = (bucket: Drawn['bucket'], most: bigint) => {
        const part = most < missing ? most : missing;
        if (part <= 0n) return;
        draws.push({ party, bucket, amount: part });
        missing -= part;
      };
      take('pending', payment.waiting.get(party) ?? 0n);
      take('available', this.#books.balance('available', party));
      const advanced = missing;
      take('credit', left ?? missing);
      if (missing > 0n) return null;
      if (left !== null) left -= advanced;
    }
    payment.given = given;
    for (const { party, bucket, amount: part } of draws) {
      this.#books.add(bucket, party, -part);
      if (bucket === 'pending') payment.waiting.set(party, (payment.waiting.get(party) as bigint) - part);
    }
    return draws;
  }

  /** @returns the parties whose available grew */
  #putBack(payment: ModelPayment, draws: Drawn[]): string[] {
    const grown: string[] = [];
    payment.given = payment.shares.map(({ account_id }, i) => {
      const back = draws.filter(({ party }) => party === account_id).reduce((sum, { amount }) => sum + amount, 0n);
      return (payment.given[i] as bigint) - back;
    });
    for (const { party, bucket, amount } of draws) {
      const waits = bucket === 'pending' && payment.waiting.has(party);
      // What was advanced may be repaid by now: it comes back as available, which repays what is owed still.
      const to = waits ? 'pending' : 'available';
      this.#books.add(to, party, amount);
      if (waits) payment.waiting.set(party, (payment.waiting.get(party) as bigint) + amount);
      if (to === 'available') grown.push(party);
    }
    return grown;
  }
}
