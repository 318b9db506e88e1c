import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { fixedKeys, open, type SealingKeys, seal } from './sealing.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns the SHA-256 digest. */
export function sha256(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Returns the SHA-256 digest as text, for keys in memory. It takes a third of the time of {@link sha256}. */
export function sha256Base64(data: string): string {
  return hash('sha256', data, 'base64');
}

/** Returns random text of the given length over [0-9A-Za-z]. 43 characters carry 256 bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 × 62. Bytes from 248 are discarded; otherwise the first letters would be more likely.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
  }
  return text;
}

/** Compares two texts in constant time. Returns false for unequal lengths instead of throwing. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * Secrets of an installation. There are two, so that one can change without the other: a root that never changes, from which
 * page addresses, cursors and payer fingerprints are derived; and the keys that encrypt stored values. Each purpose has its
 * own derived key, so that a value made for one purpose is not valid for another.
 */
export class Secrets {
  readonly #root: Buffer;
  readonly keys: SealingKeys;
  readonly #derived = new Map<string, Buffer>();

  /**
   * @param root 32 bytes
   * @param keys encryption keys; default: the root is also the encryption key
   * @throws Error when the root is not 32 bytes
   */
  constructor(root: Buffer, keys: SealingKeys = fixedKeys([root])) {
    if (root.length !== 32) throw new Error('the root of all secrets must be 32 bytes');
    this.#root = root;
    this.keys = keys;
  }

  /** Returns the first 16 bytes of an HMAC-SHA256 in base64url (22 characters): unguessable, and short enough for a URL. */
  mac(purpose: string, text: string): string {
    return createHmac('sha256', this.#key(purpose)).update(text).digest().subarray(0, 16).toString('base64url');
  }

  /**
   * Encrypts a value for storage under the current key.
   * @param place where the value will be stored, from {@link sealedPlace}
   */
  seal(plain: string, place: string): string {
    return seal(this.keys.current(), plain, place);
  }

  /**
   * Decrypts a value made by {@link seal}.
   * @throws SealError when the key is missing, the place differs, or the text was changed
   */
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
