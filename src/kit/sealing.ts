import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const FORMAT = 's2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key that seals what is stored. Its id tells nothing of it, and stands in front of everything it has sealed. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** The keys of an installation: one seals, all of them open. */
export interface SealingKeys {
  /** The one that seals from now on. */
  current(): SealingKey;
  /** @returns undefined for a key that this process does not have */
  byId(id: string): SealingKey | undefined;
  /** The current one first. */
  ids(): string[];
}

/** Why something sealed can not be opened: told to operators, so it names keys by their ids only. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** @param secret 32 bytes; what is derived from them seals, so that they are good for other purposes too */
export function sealingKey(secret: Buffer): SealingKey {
  if (secret.length !== 32) throw new Error('a secrets key must be 32 bytes');
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, 'pirogue', purpose, bytes));
  return { id: derive('seal-id', 6).toString('hex'), key: derive('seal', 32) };
}

/** Keys that stay as they are for as long as the process runs. @param secrets the current one first */
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
 * Where a sealed value stands. It is bound to it: moved to another column, team or row it does not open.
 * @param column `table.column`
 */
export function sealedPlace(column: string, team_id: bigint | null, id: string): string {
  return `${column}|${team_id ?? ''}|${id}`;
}

/** Encrypts for storage: `s2.<key id>.` + base64url(nonce, ciphertext, tag), AES-256-GCM. */
export function seal({ id, key }: SealingKey, plain: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const head = `${FORMAT}.${id}`;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${head}|${place}`));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${head}.${sealed.toString('base64url')}`;
}

/** The reverse of {@link seal}. @throws SealError for a key we do not have, another place, or a changed text */
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

/** How everything begins that a key has sealed. */
export function sealedBy({ id }: Pick<SealingKey, 'id'>): string {
  return `${FORMAT}.${id}.`;
}
