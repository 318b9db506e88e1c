import type { Minor } from '../../src/kit/money.ts';

export type EntryKind = 'collect' | 'payout' | 'refund';

/** What the caller asked for. */
export interface Draft {
  kind: EntryKind;
  /** The key by which the caller knows it. */
  key: string;
  amount_minor: Minor;
  currency: string;
  msisdn: string;
  /** Of a refund: the key of the collection. */
  of: string | null;
  /** Where this one is to be announced; null: where the account says, or nowhere. */
  callback_url: string | null;
  /** What the provider keeps besides, in its own words. */
  wire: Record<string, unknown>;
}

/** One thing the provider created. A key that was created twice stands here twice. */
export interface Entry extends Draft {
  /** The provider's own number for it. */
  ref: string;
  state: 'pending' | 'succeeded' | 'failed';
  /** The provider's word for why it failed. */
  word: string | null;
  /** Money changed hands. */
  moved: boolean;
  created_at: number;
  settled_at: number | null;
  /** The status page does not show it before. */
  visible_at: number;
  /** Waits until someone calls `recover`. */
  stuck: boolean;
}

export interface Sum {
  kind: EntryKind;
  currency: string;
  amount_minor: Minor;
  count: number;
}

/** A provider's own truth of what was created and what moved: what an audit compares the orchestrator with. */
export class Book {
  readonly #entries: Entry[] = [];
  readonly #byKey = new Map<string, Entry[]>();

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
    return entry;
  }

  /** The first that was created under the key. */
  find(key: string): Entry | undefined {
    return this.created(key)[0];
  }

  /** As {@link find}, but only what the status page already shows. */
  visible(key: string): Entry | undefined {
    const entry = this.find(key);
    return entry && entry.visible_at <= Date.now() ? entry : undefined;
  }

  /** Everything that was created under the key: more than one is a charge too many. */
  created(key: string): readonly Entry[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Final once: later calls change nothing. */
  settle(entry: Entry, state: 'succeeded' | 'failed', word: string | null): void {
    if (entry.state !== 'pending') return;
    entry.state = state;
    entry.word = word;
    entry.moved = state === 'succeeded';
    entry.settled_at = Date.now();
  }

  /** In the order of creation. */
  entries(): readonly Entry[] {
    return this.#entries;
  }

  /** What changed hands, by kind and currency. */
  moved(): Sum[] {
    const sums = new Map<string, Sum>();
    for (const { kind, currency, amount_minor, moved } of this.#entries) {
      if (!moved) continue;
      const sum = sums.get(`${kind} ${currency}`) ?? { kind, currency, amount_minor: 0n, count: 0 };
      sums.set(`${kind} ${currency}`, { ...sum, amount_minor: sum.amount_minor + amount_minor, count: sum.count + 1 });
    }
    return [...sums.values()];
  }

  /** What of a collection was given back or is on its way back. */
  refunded(key: string): Minor {
    return this.#entries
      .filter((entry) => entry.kind === 'refund' && entry.of === key && entry.state !== 'failed')
      .reduce((sum, entry) => sum + entry.amount_minor, 0n);
  }
}
