import type { Minor } from '../../src/kit/money.ts';

export type EntryKind = 'collect' | 'payout' | 'refund';

/** The request to create an entry. */
export interface Draft {
  kind: EntryKind;
  /** The caller's key of the entry. */
  key: string;
  amount_minor: Minor;
  currency: string;
  msisdn: string;
  /** Of a refund: the key of the collection. */
  of: string | null;
  /** Callback address of this entry; null: the address of the account's settings, or none. */
  callback_url: string | null;
  /** Other fields the provider stores, in its own format. */
  wire: Record<string, unknown>;
}

/** One operation the provider created. A key that was used twice has two entries. */
export interface Entry extends Draft {
  /** The provider's own reference. */
  ref: string;
  state: 'pending' | 'succeeded' | 'failed';
  /** The provider's code or text for the failure. */
  word: string | null;
  /** Set when money changed hands. */
  moved: boolean;
  created_at: number;
  settled_at: number | null;
  /** Time from which the status endpoint shows the entry, in milliseconds since the epoch. */
  visible_at: number;
  /** Set while the entry waits for a call of `recover`. */
  stuck: boolean;
}

export interface Sum {
  kind: EntryKind;
  currency: string;
  amount_minor: Minor;
  count: number;
}

/** The simulator's record of what was created and what money moved. Audits compare the orchestrator with it. */
export class Book {
  readonly #entries: Entry[] = [];
  readonly #byKey = new Map<string, Entry[]>();
  /** Refunds by the key of the collection: a long run has hundreds of thousands of entries. */
  readonly #refundsOf = new Map<string, Entry[]>();

  add(draft: Draft): Entry {
    const now = Date.now();
    const entry: Entry = {
      ...draft,
      ref: String(1_000_000_001 + this.#entries.length),
      state: 'pending',
      word: null,
      moved: false,
      created_at: now,
      settled_at: null,
      visible_at: now,
      stuck: false,
    };
    this.#entries.push(entry);
    this.#byKey.set(draft.key, [...this.created(draft.key), entry]);
    if (draft.kind === 'refund' && draft.of !== null) {
      this.#refundsOf.set(draft.of, [...(this.#refundsOf.get(draft.of) ?? []), entry]);
    }
    return entry;
  }

  /** Returns the first entry created under the key. */
  find(key: string): Entry | undefined {
    return this.created(key)[0];
  }

  /** Returns the same entry as {@link find}, but only when the status endpoint already shows it. */
  visible(key: string): Entry | undefined {
    const entry = this.find(key);
    return entry && entry.visible_at <= Date.now() ? entry : undefined;
  }

  /** Returns all entries created under the key. More than one is a double charge. */
  created(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Completes an entry. Later calls have no effect. */
  settle(entry: Entry, state: 'succeeded' | 'failed', word: string | null): void {
    if (entry.state !== 'pending') return;
    entry.state = state;
    entry.word = word;
    entry.moved = state === 'succeeded';
    entry.settled_at = Date.now();
  }

  /** Returns all entries in the order of creation. */
  entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Returns the sums of the money moved, by kind and currency. */
  moved(): Sum[] {
    const sums = new Map<string, Sum>();
    for (const { kind, currency, amount_minor, moved } of this.#entries) {
      if (!moved) continue;
      const sum = sums.get(`${kind} ${currency}`) ?? { kind, currency, amount_minor: 0n, count: 0 };
      sums.set(`${kind} ${currency}`, { ...sum, amount_minor: sum.amount_minor + amount_minor, count: sum.count + 1 });
    }
    return [...sums.values()];
  }

  /** Returns the amount of a collection that is refunded or has a pending refund. */
  refunded(key: string): Minor {
    return (this.#refundsOf.get(key) ?? [])
      .filter(({ state }) => state !== 'failed')
      .reduce((sum, entry) => sum + entry.amount_minor, 0n);
  }
}
