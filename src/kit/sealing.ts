import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const FORMAT = 's2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Key that encrypts stored values. Its id reveals nothing about the key and prefixes every value encrypted with it. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Encryption keys of an installation: one encrypts, all of them decrypt. */
export interface SealingKeys {
  /** Returns the key for new values. */
  current(): SealingKey;
  /** @returns undefined for a key that this process does not have */
  byId(id: string): SealingKey | undefined;
  /** Ids of all keys, the current one first. */
  ids(): string[];
}

/** A stored value cannot be decrypted. The message is for operators, so it names keys by id only. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/**
 * Creates an encryption key.
 * @param secret 32 bytes; encryption uses keys derived from it, so the secret itself can serve other purposes too
 * @throws Error when the secret is not 32 bytes
 */
export function sealingKey(secret: Buffer): SealingKey {
  if (secret.length !== 32) throw new Error('a secrets key must be 32 bytes');
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, 'pirogue', purpose, bytes));
  return { id: derive('seal-id', 6).toString('hex'), key: derive('seal', 32) };
}

/**
 * Returns keys that stay the same for the lifetime of the process.
 * @param secrets the current one first
 * @throws Error when there is none
 */
export function fixedKeys(secrets: readonly Buffer[]): SealingKeys {
  const keys = secrets.map(sealingKey);
  const [current] = keys;
  if (!current) throw new Error('there must be a secrets key');
  return {
    current: () => current,
    byId: (id) => keys.find((key) => key.id === id),
    ids: () => keys.map(({ id }) => id),
  };
}

/**
 * Returns the storage place of an encrypted value. The value is bound to it: moved to another column, team or row it cannot be
 * decrypted.
 * @param column `table.column`
 */
export function sealedPlace(column: string, team_id: bigint | null, id: string): string {
  return `${column}|${team_id ?? ''}|${id}`;
}

/** Encrypts a value for storage: `s2.<key id>.` + base64url(nonce, ciphertext, tag), AES-256-GCM. */
export function seal({ id, key }: SealingKey, plain: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const head = `${FORMAT}.${id}`;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${head}|${place}`));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${head}.${sealed.toString('base64url')}`;
}

/**
 * Decrypts a value made by {@link seal}.
 * @throws SealError when the key is missing, the place differs, or the text was changed
 */
export function open(keys: SealingKeys, sealed: string, place: string): string {
  const [format, id = '', text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  if (format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealError('this is not a sealed value');
  const key = keys.byId(id)?.key;
  if (!key) throw new SealError(`it is sealed under the secrets key ${id}; this process has ${keys.ids().join(', ')}`);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(`${format}.${id}|${place}`)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch (cause) {
    throw new SealError(`what the secrets key ${id} sealed was changed, or stood somewhere else`, { cause });
  }
}

/** Returns the prefix of every value encrypted with a key. */
export function sealedBy({ id }: Pick<SealingKey, 'id'>): string {
  return `${FORMAT}.${id}.`;
}
