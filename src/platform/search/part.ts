import type { GroupBucket } from './build-store.ts';
import { Collector } from './collector.ts';
import { Bytes } from './positions.ts';
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

/**
 * Divides the buckets of a segment into batches, one for each insert statement. All of them are kept until the segment is inserted, so the
 * lists of a batch are in one piece of memory: tens of thousands of small pieces leave holes when they are freed, which the process keeps.
 * @param buckets the lists of each are copied before the next one is requested
 */
export async function inBatches(buckets: AsyncIterable<GroupBucket>): Promise<GroupBucket[][]> {
  const batches: GroupBucket[][] = [];
  const lists = new Bytes();
  let batch: { bucket: GroupBucket; end: number }[] = [];
  let bytes = 0;
  for await (const bucket of buckets) {
    bucket.lists.copy(lists.reserve(bucket.lists.length), lists.length);
    lists.length += bucket.lists.length;
    batch.push({ bucket, end: lists.length });
    bytes += bucket.lists.length + bucket.ends.length * 4;
    if (bytes < INSERTED_BYTES) continue;
    batches.push(together(batch, lists));
    [batch, bytes] = [[], 0];
  }
  batches.push(together(batch, lists));
  return batches;
}

/** Returns the buckets of a batch with memory of their own for the lists, and empties `lists`. */
function together(batch: readonly { bucket: GroupBucket; end: number }[], lists: Bytes): GroupBucket[] {
  const all = Buffer.allocUnsafeSlow(lists.length);
  lists.taken().copy(all);
  lists.length = 0;
  return batch.map(({ bucket, end }, i) => ({ ...bucket, lists: all.subarray(batch[i - 1]?.end ?? 0, end) }));
}
