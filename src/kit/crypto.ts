import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { fixedKeys, open, type SealingKeys, seal } from './sealing.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Random text of the given length over [0-9A-Za-z]; 43 characters hold 256 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 × 62: bytes above it are thrown away, otherwise the first letters would be likelier.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}

/** Compares in constant time; unequal lengths are unequal without an exception. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * What an installation keeps secret. Two things, so that one can change without the other: a root that never changes,
 * from which addresses of pages, cursors and what payers are known again by are derived; and the keys that seal what is stored.
 * Each use has a key of its own, so that a value made for one purpose is worthless for another.
 */
export class Secrets {
  readonly #root: Buffer;
  readonly keys: SealingKeys;
  readonly #derived = new Map<string, Buffer>();

  /**
   * @param root 32 bytes
   * @param keys left out: the root seals as well
   */
  constructor(root: Buffer, keys: SealingKeys = fixedKeys([root])) {
    if (root.length !== 32) throw new Error('the root of all secrets must be 32 bytes');
    this.#root = root;
    this.keys = keys;
  }

  /** First 16 bytes of HMAC-SHA256, base64url (22 characters): unguessable, short enough for an address. */
  mac(purpose: string, text: string): string {
    return createHmac('sha256', this.#key(purpose)).update(text).digest().subarray(0, 16).toString('base64url');
  }

  /** Encrypts for storage under the current key. @param place where it will stand, from {@link sealedPlace} */
  seal(plain: string, place: string): string {
    return seal(this.keys.current(), plain, place);
  }

  /** The reverse of {@link seal}. @throws SealError for a key we do not have, another place, or a changed text */
  open(sealed: string, place: string): string {
    return open(this.keys, sealed, place);
  }

  #key(purpose: string): Buffer {
    let key = this.#derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.#root, 'pirogue', purpose, 32));
      this.#derived.set(purpose, key);
    }
    return key;
  }
}
