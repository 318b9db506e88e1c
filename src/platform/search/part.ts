import type { GroupBucket } from './build-store.ts';
import { Collector } from './collector.ts';
import type { Searched } from './searchable.ts';

/** Bytes of one insert statement. From 128 kB, the allocator returns memory to the system when it is freed. */
const INSERTED_BYTES = 256 * 1024;

/** A segment to insert. */
export interface Part {
  last_id: string;
  row_count: number;
  ids: Buffer;
  /** Rows of search_postings, for one statement each. */
  batches: GroupBucket[][];
}

/** Collects the rows of a segment. */
export class PartBuilder {
  readonly #prefix: string;
  readonly #collectors: Collector[] = [];
  readonly #ids: string[] = [];
  #last_id = '';

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get row_count(): number {
    return this.#ids.length;
  }

  get entries(): number {
    return this.#collectors.reduce((sum, { size }) => sum + size, 0);
  }

  add({ id, texts }: Searched): void {
    const position = this.#ids.length;
    if (!id.startsWith(this.#prefix)) throw new Error(`impossible: an id that does not begin with ${this.#prefix}: ${id}`);
    this.#ids.push(id.slice(this.#prefix.length));
    this.#last_id = id;
    texts.forEach((group, i) => {
      this.#collectors[i] ??= new Collector();
      this.#collectors[i].add(position, group);
    });
  }

  /** @param last_id the last id that the segment covers; null: that of its last row */
  async built(last_id: string | null, pause: () => Promise<void>): Promise<Part> {
    return {
      last_id: last_id ?? this.#last_id,
      row_count: this.row_count,
      ids: Buffer.from(this.#ids.join(''), 'latin1'),
      batches: await inBatches(this.#buckets(pause)),
    };
  }

  async *#buckets(pause: () => Promise<void>): AsyncGenerator<GroupBucket> {
    for (const [field_group, collector] of this.#collectors.entries()) {
      for await (const bucket of collector.buckets(this.row_count, pause)) yield { ...bucket, field_group };
    }
  }
}

/** Divides the buckets of a segment into batches, one for each insert statement. */
export async function inBatches(buckets: AsyncIterable<GroupBucket>): Promise<GroupBucket[][]> {
  const batches: GroupBucket[][] = [];
  let batch: GroupBucket[] = [];
  let bytes = 0;
  for await (const bucket of buckets) {
    batch.push(bucket);
    bytes += bucket.lists.length + bucket.ends.length * 4;
    if (bytes < INSERTED_BYTES) continue;
    batches.push(together(batch));
    [batch, bytes] = [[], 0];
  }
  batches.push(together(batch));
  return batches;
}

/**
 * Copies the lists of a batch into one piece of memory. A segment has tens of thousands of buckets, and all of them are kept until the
 * segment is inserted: memory for each, when it is freed, leaves holes that the process keeps.
 */
function together(batch: readonly GroupBucket[]): GroupBucket[] {
  const all = Buffer.allocUnsafeSlow(batch.reduce((sum, { lists }) => sum + lists.length, 0));
  let end = 0;
  return batch.map((bucket) => {
    const start = end;
    end += bucket.lists.copy(all, start);
    return { ...bucket, lists: all.subarray(start, end) };
  });
}
