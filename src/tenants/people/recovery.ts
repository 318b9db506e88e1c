import { randomBytes } from 'node:crypto';
import { sha256 } from '../../kit/crypto.ts';
import type { Queryable } from '../../kit/sql.ts';
import { replaceRecoveryCodes, useRecoveryCode } from './factor-store.ts';

const CODES = 10;
const CODE_CHARS = 16;
/** 31 characters that are not confused when they are copied by hand (no 0, 1, i, l, o): a code has 79 random bits. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/**
 * Replaces the recovery codes of a person.
 * @returns the codes, which are shown once: the database has their hashes only
 */
export async function renewRecoveryCodes(db: Queryable, user_id: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await replaceRecoveryCodes(db, user_id, codes.map(hashOf));
  return codes;
}

/** Accepts a recovery code of a person, once. Case, spaces and hyphens do not matter. */
export async function useRecovery(db: Queryable, user_id: string, code: string): Promise<boolean> {
  const bare = code.toLowerCase().replace(/[\s-]/g, '');
  return new RegExp(`^[0-9a-z]{${CODE_CHARS}}$`).test(bare) && (await useRecoveryCode(db, user_id, hashOf(bare)));
}

function newCode(): string {
  let text = '';
  while (text.length < CODE_CHARS) {
    // 248 = 8 × 31: bytes from 248 are discarded, otherwise the first letters would be more likely.
    for (const byte of randomBytes(CODE_CHARS)) if (byte < 248 && text.length < CODE_CHARS) text += ALPHABET.charAt(byte % 31);
  }
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

function hashOf(code: string): Buffer {
  return sha256(code.replaceAll('-', ''));
}
