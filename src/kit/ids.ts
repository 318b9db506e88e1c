import { createHash, randomFillSync } from 'node:crypto';
import type { Environment } from './environment.ts';

/** Id prefixes of the public objects (docs/decisions/0003-ids.md). */
export type IdPrefix =
  | 'trx'
  | 'rfd'
  | 'po'
  | 'evt'
  | 'wh'
  | 'whd'
  | 'cus'
  | 'ben'
  | 'acct'
  | 'inv'
  | 'lnk'
  | 'dsp'
  | 'pm'
  | 'att'
  | 'req'
  | 'rql'
  | 'pex'
  | 'key'
  | 'pa'
  | 'rul'
  | 'blk'
  | 'rec'
  | 'rtn'
  | 'usr'
  | 'ses'
  | 'ulk'
  | 'apv';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_BYTES = 10;

/**
 * Creates an id: `<prefix>_[test_]<26 characters>`. The 26 characters are a lower-case ULID: 48 bits of milliseconds, then 80
 * random bits. Ids of one kind therefore sort by time, and lists page by id alone.
 * @param at milliseconds since the epoch: the `created_at` of the same row, so that both orders agree
 */
export function newId(prefix: IdPrefix, environment: Environment, at: number): string {
  return idPrefix(prefix, environment) + encodeTime(at) + encodeRandom();
}

/** Returns the part of an id before the 26 characters; `test_` marks sandbox objects. */
export function idPrefix(prefix: IdPrefix, environment: Environment): string {
  return environment === 'sandbox' ? `${prefix}_test_` : `${prefix}_`;
}

/**
 * Returns the smallest id that an object created at this moment can have. Converts a date filter into an id range.
 * @param at milliseconds since the epoch
 */
export function lowestIdAt(prefix: IdPrefix, environment: Environment, at: number): string {
  return `${idPrefix(prefix, environment)}${encodeTime(at)}${'0'.repeat(16)}`;
}

/** Returns whether the text has the form of an id of this kind and environment. */
export function isId(prefix: IdPrefix, environment: Environment, text: string): boolean {
  const head = idPrefix(prefix, environment);
  return text.startsWith(head) && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(head.length));
}

/**
 * Derives a UUID from an id, marked as version 4 because providers require it. It is deterministic, so that a retry after a
 * crash between storing and sending uses the same key.
 */
export function uuidOf(id: string): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function encodeTime(at: number): string {
  let rest = Math.trunc(at);
  let text = '';
  for (let i = 0; i < TIME_CHARS; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

// One call to the kernel's generator serves 400 ids; a call per id would cost more than the id itself.
const pool = Buffer.allocUnsafe(RANDOM_BYTES * 400);
let used = pool.length;

/** Takes random bytes from the pool and returns where they begin. */
function take(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

/** Returns random bytes in hexadecimal, for ids that are not secrets. */
export function randomHex(bytes: number): string {
  const from = take(bytes);
  return pool.toString('hex', from, from + bytes);
}

function encodeRandom(): string {
  const from = take(RANDOM_BYTES);
  return encodeFiveBytes(from) + encodeFiveBytes(from + RANDOM_BYTES / 2);
}

function encodeFiveBytes(offset: number): string {
  let rest = pool.readUIntBE(offset, 5);
  let text = '';
  for (let i = 0; i < 8; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
