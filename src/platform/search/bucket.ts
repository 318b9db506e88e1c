import { WHOLE } from './alphabet.ts';
import { appendList, Bytes } from './positions.ts';

/** A row of search_postings. */
export interface Bucket {
  bucket: string;
  thirds: string;
  /** Ends of the lists of {@link thirds}, in the same order. */
  ends: number[];
  lists: Buffer;
}

/** The positions of the rows with a bucket's characters and one more. */
export interface ThirdList {
  third: number;
  /** Ascending. */
  positions: Uint16Array;
}

/** Above this many bytes a bucket also has a list with all of its rows, so that a search for two characters reads that alone. */
const LARGE_BUCKET = 2_048;

/**
 * Encodes a bucket.
 * @param lists in the order of their third characters
 * @param rows of the segment
 */
export function bucketOf(bucket: string, lists: readonly ThirdList[], rows: number): Bucket {
  const bytes = new Bytes();
  const ends: number[] = [];
  const thirds = lists.map(({ third }) => third);
  for (const { positions } of lists) {
    appendList(bytes, positions, rows);
    ends.push(bytes.length);
  }
  if (lists.length > 1 && bytes.length > LARGE_BUCKET) {
    appendList(bytes, union(lists, rows), rows);
    thirds.push(WHOLE);
    ends.push(bytes.length);
  }
  return { bucket, thirds: String.fromCharCode(...thirds), ends, lists: bytes.taken() };
}

/** Returns the different positions in ascending order. */
function union(lists: readonly ThirdList[], rows: number): Uint16Array {
  const found = new Uint8Array(rows);
  for (const { positions } of lists) for (const position of positions) found[position] = 1;
  const all = new Uint16Array(rows);
  let count = 0;
  for (let position = 0; position < rows; position++) if (found[position] === 1) all[count++] = position;
  return all.subarray(0, count);
}
