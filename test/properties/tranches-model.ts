import type { Books } from './books.ts';
import type { ModelShare } from './money-model.ts';

/**
 * What is learnt of a piece. `short` and `stray`: evidence of another amount, of another currency. `unknown`: it may or may
 * not have happened.
 */
export type TrancheUpdate = 'captured' | 'declined' | 'unknown' | 'short' | 'stray';

export interface Piece {
  attempt_id: string;
  amount: bigint;
  /** open: under way, or nobody knows. none: no money moved. */
  state: 'open' | 'none' | 'captured';
  /** What evidence that did not match has put into hold. */
  aside: { amount: bigint; currency: string } | null;
}

export interface TranchesPayment {
  id: string;
  amount: bigint;
  /** What is charged: with the fee when the customer bears it. */
  total: bigint;
  /** Who gets what once all of it is there. */
  shares: ModelShare[];
  captured: bigint;
  state: 'unpaid' | 'partial' | 'paid' | 'over';
  pieces: Piece[];
}

/** Payments collected in pieces: what has landed waits in hold until the last piece is there, or goes back. */
export class TranchesModel {
  readonly payments: TranchesPayment[] = [];
  readonly #books: Books;

  constructor(books: Books) {
    this.#books = books;
  }

  open({ pieces }: TranchesPayment): Piece | undefined {
    return pieces.find(({ state }) => state === 'open');
  }

  /** The payer may start the next piece. */
  wantsPiece(payment: TranchesPayment): boolean {
    return (payment.state === 'unpaid' || payment.state === 'partial') && !this.open(payment);
  }

  /**
   * @returns `paid`: all of it is there, what waited in hold belongs to its parties. `surplus`: the piece cannot be kept
   */
  learn(
    payment: TranchesPayment,
    piece: Piece,
    news: TrancheUpdate,
    evidence: { amount: bigint; currency: string },
  ): 'paid' | 'surplus' | null {
    switch (news) {
      case 'unknown':
        return null;
      case 'short':
      case 'stray':
        if (piece.aside === null) this.#setAside(piece, evidence);
        return null;
      case 'declined':
        this.#takeBack(piece);
        piece.state = 'none';
        if (payment.state === 'unpaid') payment.state = 'over';
        return null;
      case 'captured':
        this.#takeBack(piece);
        piece.state = 'captured';
        return this.#capture(payment, piece.amount);
    }
  }

  /** The window is over. With a piece under way the payment waits for it. */
  expire(payment: TranchesPayment): void {
    if (this.open(payment) || payment.state === 'paid' || payment.state === 'over') return;
    payment.state = 'over';
    this.#books.add('hold', '', -payment.captured);
  }

  /** What a payment cannot take goes back to the payer, so that nothing of it stays in hold. */
  #capture(payment: TranchesPayment, amount: bigint): 'paid' | 'surplus' | null {
    if (payment.state === 'over' || payment.captured + amount > payment.total) return 'surplus';
    const before = payment.captured;
    payment.captured += amount;
    if (payment.captured < payment.total) {
      payment.state = 'partial';
      this.#books.add('hold', '', amount);
      return null;
    }
    payment.state = 'paid';
    this.#books.add('hold', '', -before);
    return 'paid';
  }

  #setAside(piece: Piece, evidence: { amount: bigint; currency: string }): void {
    piece.aside = evidence;
    this.#books.add('hold', '', evidence.amount, evidence.currency);
  }

  #takeBack(piece: Piece): void {
    if (piece.aside) this.#books.add('hold', '', -piece.aside.amount, piece.aside.currency);
    piece.aside = null;
  }
}
