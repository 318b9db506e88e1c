import { WHOLE } from './alphabet.ts';
import { appendList, type Bytes, MAX_POSITIONS } from './positions.ts';

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

/** Size in bytes above which a bucket also has a list of all its rows, so that a search for two characters reads only that list. */
const LARGE_BUCKET = 2_048;

/* Memory of {@link union}, which all builds share, because nothing is awaited while it is in use. */
const isFound = new Uint8Array(MAX_POSITIONS);
const different = new Uint16Array(MAX_POSITIONS);

/**
 * Encodes a bucket.
 * @param lists in the order of their third characters
 * @param rows of the segment
 * @param bytes memory of this build: the lists of the result are in it, and so valid until its next bucket is encoded
 */
export function bucketOf(bucket: string, lists: readonly ThirdList[], rows: number, bytes: Bytes): Bucket {
  bytes.length = 0;
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

/** Returns the different positions in ascending order; valid until the next call. */
function union(lists: readonly ThirdList[], rows: number): Uint16Array {
  isFound.fill(0, 0, rows);
  for (const { positions } of lists) for (const position of positions) isFound[position] = 1;
  let count = 0;
  for (let position = 0; position < rows; position++) if (isFound[position] === 1) different[count++] = position;
  return different.subarray(0, count);
}
