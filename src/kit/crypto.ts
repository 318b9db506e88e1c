import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

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
 * Everything derived from the installation's one secret (SECRETS_KEY, or the key file of DATA_DIR). Each use has
 * a key of its own, so that a value made for one purpose is worthless for another.
 */
export class Secrets {
  readonly #root: Buffer;
  readonly #derived = new Map<string, Buffer>();

  /** @param root 32 bytes */
  constructor(root: Buffer) {
    if (root.length !== 32) throw new Error('the secrets key must be 32 bytes');
    this.#root = root;
  }

  /** First 16 bytes of HMAC-SHA256, base64url (22 characters): unguessable, short enough for an address. */
  mac(purpose: string, text: string): string {
    return createHmac('sha256', this.#key(purpose)).update(text).digest().subarray(0, 16).toString('base64url');
  }

  /** Encrypts for storage: `s1.` + base64url(nonce, ciphertext, tag), AES-256-GCM. */
  seal(plain: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key('seal'), nonce);
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `s1.${sealed.toString('base64url')}`;
  }

  /** The reverse of {@link seal}; throws when the text was made with another key or was changed. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed.slice('s1.'.length), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key('seal'), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
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
