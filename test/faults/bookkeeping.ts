import { must } from '../../src/kit/errors.ts';
import type { Collection, Payout, Provider, Refund, RefundOutcome } from '../../src/providers/adapters/contract.ts';
import type { Fuse } from './crashing-store.ts';

/** What the provider saw: the book of what really moved, by the key that was stored before. */
export class Book {
  readonly collected = new Map<string, bigint>();
  readonly returned = new Map<string, bigint>();
  /** Keys of refund parts that were refused. */
  readonly refused = new Set<string>();
  readonly paid = new Map<string, bigint>();
}

const REFUSED: RefundOutcome = { kind: 'failed', reason: 'operator_declined', message: 'refused' };

function isSecondPart({ provider_key }: Refund): boolean {
  return provider_key.endsWith('-1');
}

/** A provider that keeps a book and refuses the second part of every refund; its calls are steps at which the flow may die. */
export function bookkeeping(inner: Provider, book: Book, fuse: Fuse): Provider {
  const called = async <T>(note: () => void, call: () => Promise<T>): Promise<T> => {
    fuse.step();
    note();
    const answer = await call();
    // The provider has acted; the answer is lost when we die here.
    fuse.step();
    return answer;
  };
  const payouts = must(inner.payouts, 'the sandbox pays out');
  const refunds = must(inner.refunds, 'the sandbox refunds');
  // Unlike the sandbox it remembers: it knows nothing of what never reached it.
  const asked = async <T>(known: boolean, read: () => Promise<T>) => {
    fuse.step();
    return known ? read() : ({ kind: 'not_found' } as const);
  };
  return {
    ...inner,
    read: (one: Collection) => asked(book.collected.has(one.provider_key), () => inner.read(one)),
    submit: (one: Collection) =>
      called(
        () => book.collected.set(one.provider_key, one.amount_minor),
        () => inner.submit(one),
      ),
    payouts: {
      ...payouts,
      read: (one: Payout) => asked(book.paid.has(one.provider_key), () => payouts.read(one)),
      submit: (one: Payout) =>
        called(
          () => book.paid.set(one.provider_key, one.amount_minor),
          () => payouts.submit(one),
        ),
    },
    refunds: {
      ...refunds,
      read: (one: Refund) =>
        asked(book.returned.has(one.provider_key) || book.refused.has(one.provider_key), async () =>
          book.refused.has(one.provider_key) ? REFUSED : refunds.read(one),
        ),
      submit: (one: Refund) => {
        const refuses = isSecondPart(one);
        return called(
          () => (refuses ? book.refused.add(one.provider_key) : book.returned.set(one.provider_key, one.amount_minor)),
          async () => (refuses ? REFUSED : refunds.submit(one)),
        );
      },
    },
  };
}
