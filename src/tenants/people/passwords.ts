import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { normalized } from '../../kit/unicode.ts';
import { passwordHashing } from './hashing.ts';

/** Parameters by OWASP's Password Storage Cheat Sheet (Argon2id: 19 MiB, two passes, one lane). */
const CURRENT = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const NONCE_BYTES = 16;

/** Limits of a password's length. The maximum bounds the cost of hashing. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 200;

const derive = promisify(argon2);

/** Returns the Argon2id hash of a password in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  return written(nonce, await tagOf(password, nonce, CURRENT));
}

function written(nonce: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = CURRENT;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Compares a password with a hash, in the same time whether there is one or not.
 * @param stored null: there is no such person, or they have no password
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const known = parse(stored ?? ABSENT);
  const tag = await tagOf(password, known.nonce, known.parameters);
  return timingSafeEqual(tag, known.tag) && stored !== null;
}

/** A hash that no password has, because its tag is random. It is made without hashing, so that the first comparison takes no longer. */
const ABSENT = written(randomBytes(NONCE_BYTES), randomBytes(TAG_BYTES));

function tagOf(password: string, nonce: Buffer, parameters: typeof CURRENT): Promise<Buffer> {
  // The same password is typed with different code points on different keyboards.
  const message = Buffer.from(normalized(password, 'NFKC'));
  return passwordHashing.run(
    () => derive('argon2id', { message, nonce, tagLength: TAG_BYTES, ...parameters }) as Promise<Buffer>,
  );
}

function parse(stored: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored);
  if (!match) throw new Error('a stored password has an unknown form');
  const [, memory, passes, parallelism, nonce, tag] = match as unknown as [string, string, string, string, string, string];
  return {
    parameters: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
