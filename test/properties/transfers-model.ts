import type { Books } from './books.ts';

/** What the provider says of a transfer that it is handed, or asked about. */
export type PayoutNews = 'pending' | 'paid' | 'failed' | 'cancelled' | 'unavailable';

interface ModelTransfer {
  id: string;
  amount: bigint;
  fee: bigint;
  /** reserved: not handed over. sent: with a provider. refused: a provider provably did not take it; the money stays in transit. */
  stage: 'reserved' | 'sent' | 'refused' | 'closed';
}

/** Money on its way out: set aside, in transit, paid or back. */
export class TransfersModel {
  readonly transfers: ModelTransfer[] = [];
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  /** @returns whether the balance covers it */
  create(amount: bigint, fee: bigint): boolean {
    if (this.#books.balance('available') < amount + fee) return false;
    this.#books.add('available', '', -(amount + fee));
    this.#books.add('reserved', '', amount + fee);
    return true;
  }

  /** What covered it is known by its id from now on. */
  add(id: string, amount: bigint, fee: bigint): void {
    this.transfers.push({ id, amount, fee, stage: 'reserved' });
  }

  step(transfer: ModelTransfer, news: PayoutNews): void {
    if (transfer.stage === 'reserved') {
      this.#books.add('reserved', '', -transfer.amount);
      this.#books.add('in.transit', '', transfer.amount);
    }
    // Only the answer to a sending proves that nothing was sent.
    const asked = transfer.stage === 'sent';
    switch (news) {
      case 'pending':
        transfer.stage = 'sent';
        return;
      case 'unavailable':
        transfer.stage = asked ? 'sent' : 'refused';
        return;
      case 'paid':
        this.#close(transfer, 0n);
        return;
      case 'failed':
      case 'cancelled':
        this.#close(transfer, transfer.amount + transfer.fee);
    }
  }

  #close(transfer: ModelTransfer, back: bigint): void {
    transfer.stage = 'closed';
    this.#books.add('in.transit', '', -transfer.amount);
    this.#books.add('reserved', '', -transfer.fee);
    this.#books.add('available', '', back);
    if (back > 0n) this.#books.repay('');
  }
}
