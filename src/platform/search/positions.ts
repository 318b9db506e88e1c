/*
 * Lists of positions (places of rows in a segment) as stored, and sets of them in memory: one bit for each row.
 */

/** A set of positions; without words, it is empty. */
export type Positions = Uint32Array;

/** Maximum rows of a segment, because a position takes two bytes. */
export const MAX_POSITIONS = 65_536;

export const NO_POSITIONS: Positions = new Uint32Array();

/** First byte of a stored list: all rows, one bit for each row, or the distances between positions. */
const ALL = 0;
const BITS = 1;
const DISTANCES = 2;

/** One growing buffer for many lists. */
export class Bytes {
  #bytes = Buffer.allocUnsafe(1 << 10);
  length = 0;

  /** Returns the buffer with room for more bytes after {@link length}. */
  reserve(more: number): Buffer {
    if (this.length + more <= this.#bytes.length) return this.#bytes;
    const larger = Buffer.allocUnsafe(Math.max(this.length + more, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
    return larger;
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}

/** One growing array for the positions of many lists. */
export class Appended {
  #positions = new Uint16Array(1 << 12);
  length = 0;

  /**
   * Appends the positions of a stored list.
   * @param rows of the segment of the list
   * @param offset is added to each position
   */
  append(list: Buffer, rows: number, offset: number): void {
    const kind = list[0];
    // A distance takes at least one byte.
    const room = this.#reserve(kind === DISTANCES ? list.length - 1 : rows);
    if (kind === ALL) for (let position = 0; position < rows; position++) room[this.length++] = offset + position;
    else if (kind === BITS) this.#appendBits(room, list, offset);
    else if (kind === DISTANCES) this.#appendDistances(room, list, offset);
    else throw unknownKind(kind);
  }

  /** Positions from one length to another; valid until the next {@link append}. */
  between(start: number, end: number): Uint16Array {
    return this.#positions.subarray(start, end);
  }

  #appendBits(room: Uint16Array, list: Buffer, offset: number): void {
    for (let i = 1; i < list.length; i++) {
      const first = offset + (i - 1) * 8;
      for (let byte = list[i] as number; byte !== 0; byte &= byte - 1)
        room[this.length++] = first + 31 - Math.clz32(byte & -byte);
    }
  }

  #appendDistances(room: Uint16Array, list: Buffer, offset: number): void {
    let position = offset - 1;
    for (let i = 1; i < list.length; i++) {
      let distance = (list[i] as number) & 127;
      for (let shift = 7; (list[i] as number) > 127; shift += 7) distance |= ((list[++i] as number) & 127) << shift;
      position += distance + 1;
      room[this.length++] = position;
    }
  }

  #reserve(more: number): Uint16Array {
    if (this.length + more <= this.#positions.length) return this.#positions;
    const larger = new Uint16Array(Math.max(this.length + more, this.#positions.length * 2));
    larger.set(this.#positions.subarray(0, this.length));
    this.#positions = larger;
    return larger;
  }
}

function unknownKind(kind: number | undefined): Error {
  return new Error(`impossible: a list of positions that begins with ${kind}`);
}

/**
 * Appends a list in its shortest form.
 * @param positions ascending
 */
export function appendList(bytes: Bytes, positions: Uint16Array, rows: number): void {
  const bits = Math.ceil(rows / 8);
  const room = bytes.reserve(1 + Math.max(bits, 3 * Math.min(bits, positions.length)));
  const start = bytes.length;
  if (positions.length === rows) {
    room[start] = ALL;
    bytes.length = start + 1;
    return;
  }
  const end = positions.length > bits ? start + 2 + bits : writeDistances(room, start, positions, start + 1 + bits);
  bytes.length = end <= start + 1 + bits ? end : writeBits(room, start, positions, bits);
}

/** Writes a list of distances. @returns the end of the list; above `most` when it is longer, and then it is not written completely */
function writeDistances(room: Buffer, start: number, positions: Uint16Array, most: number): number {
  room[start] = DISTANCES;
  let end = start + 1;
  let last = -1;
  for (let i = 0; i < positions.length && end <= most; i++) {
    let distance = (positions[i] as number) - last - 1;
    last = positions[i] as number;
    for (; distance > 127; distance >>>= 7) room[end++] = (distance & 127) | 128;
    room[end++] = distance;
  }
  return end;
}

function writeBits(room: Buffer, start: number, positions: Uint16Array, length: number): number {
  const end = start + 1 + length;
  room[start] = BITS;
  room.fill(0, start + 1, end);
  for (const position of positions) {
    const at = start + 1 + (position >> 3);
    room[at] = (room[at] as number) | (1 << (position & 7));
  }
  return end;
}

/** Returns an empty set for a segment with this number of rows. */
export function noPositions(rows: number): Positions {
  return new Uint32Array(Math.ceil(rows / 32));
}

/** Adds the positions of a stored list to a set. */
export function addList(set: Positions, list: Buffer, rows: number): void {
  const kind = list[0];
  if (kind === ALL) {
    set.fill(0xffffffff);
    if (rows % 32 > 0) set[set.length - 1] = 2 ** (rows % 32) - 1;
  } else if (kind === BITS) {
    for (let i = 1; i < list.length; i++) {
      const at = (i - 1) >> 2;
      set[at] = (set[at] as number) | ((list[i] as number) << (((i - 1) & 3) * 8));
    }
  } else if (kind === DISTANCES) addDistances(set, list);
  else throw unknownKind(kind);
}

function addDistances(set: Positions, list: Buffer): void {
  let position = -1;
  for (let i = 1; i < list.length; i++) {
    let distance = (list[i] as number) & 127;
    for (let shift = 7; (list[i] as number) > 127; shift += 7) distance |= ((list[++i] as number) & 127) << shift;
    position += distance + 1;
    const at = position >> 5;
    set[at] = (set[at] as number) | (1 << (position & 31));
  }
}

/** Removes from a set the positions that are not in the other. */
export function intersect(set: Positions, other: Positions): void {
  for (let i = 0; i < set.length; i++) set[i] = (set[i] as number) & (other[i] as number);
}

/** Adds the positions of the other set to a set. */
export function unite(set: Positions, other: Positions): void {
  for (let i = 0; i < other.length; i++) set[i] = (set[i] as number) | (other[i] as number);
}

/** Returns whether a set has no positions. */
export function isEmpty(set: Positions): boolean {
  for (let i = 0; i < set.length; i++) if (set[i] !== 0) return false;
  return true;
}

/** Returns the number of positions in a set. */
export function countOf(set: Positions): number {
  let count = 0;
  // Not with "for of", which takes four times as long. Most words of most sets are 0.
  for (let i = 0; i < set.length; i++) {
    let word = set[i] as number;
    if (word === 0) continue;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Returns the positions in ascending order. */
export function positionsIn(set: Positions): number[] {
  const found: number[] = [];
  for (let i = 0; i < set.length; i++) {
    for (let word = set[i] as number; word !== 0; word &= word - 1) found.push(i * 32 + 31 - Math.clz32(word & -word));
  }
  return found;
}
