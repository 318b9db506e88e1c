import { ConfigError } from '../kit/config-error.ts';
import type { Env } from './read.ts';

/** The keys that these texts are, or what is wrong with them: never with the text, it may be a key with one letter missing. */
export function secretsKeys(texts: readonly string[]): Buffer[] | string {
  const keys = texts.map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    return `${texts.length > 1 ? 'each key' : 'it'} must be 32 bytes in base64 (openssl rand -base64 32)`;
  }
  if (new Set(keys.map((key) => key.toString('base64'))).size < keys.length) return 'it names one key twice';
  return keys;
}

/** SECRETS_KEY: the key that seals, and behind it, with commas between them, others that open. */
export function secretsKeysFrom(env: Env): Buffer[] | null {
  if (!env.SECRETS_KEY) return null;
  const keys = secretsKeys(env.SECRETS_KEY.split(','));
  if (typeof keys === 'string') throw new ConfigError(`SECRETS_KEY can not be used: ${keys}`);
  // All zeros is the key of the documentation's examples; typed patterns like it are good for nothing either.
  if (keys.some((key) => key.every((byte) => byte === key[0]))) {
    throw new ConfigError('SECRETS_KEY can not be used: it is an example, not a secret (openssl rand -base64 32)');
  }
  return keys;
}
