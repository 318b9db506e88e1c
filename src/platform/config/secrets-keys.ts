import { ConfigError } from '../../kit/config-error.ts';
import type { Env } from './read.ts';

/**
 * Parses keys in base64.
 * @returns the keys, or an error message without the text, which may be a key with a missing letter
 */
export function secretsKeys(texts: readonly string[]): Buffer[] | string {
  const keys = texts.map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    return `${texts.length > 1 ? 'each key' : 'it'} must be 32 bytes in base64 (openssl rand -base64 32)`;
  }
  if (new Set(keys.map((key) => key.toString('base64'))).size < keys.length) return 'it names one key twice';
  return keys;
}

/**
 * Reads SECRETS_KEY: the encryption key, then, separated by commas, keys that only decrypt.
 * @returns null when it is not set
 * @throws ConfigError when a key is invalid
 */
export function secretsKeysFrom(env: Env): Buffer[] | null {
  if (!env.SECRETS_KEY) return null;
  const keys = secretsKeys(env.SECRETS_KEY.split(','));
  if (typeof keys === 'string') throw new ConfigError(`SECRETS_KEY cannot be used: ${keys}`);
  // All zeros is the example key of the documentation; other repeated bytes are equally insecure.
  if (keys.some((key) => key.every((byte) => byte === key[0]))) {
    throw new ConfigError('SECRETS_KEY cannot be used: it is an example, not a secret (openssl rand -base64 32)');
  }
  return keys;
}
