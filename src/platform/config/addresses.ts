import { isAddressOrRange } from '../../kit/address-list.ts';
import { ConfigError } from '../../kit/config-error.ts';
import { parseDatabaseUrl } from '../../kit/database-url.ts';
import { type Env, integer, wrong } from './read.ts';

export type TrustProxy = number | readonly string[];

export interface DatabaseUrls {
  control: string;
  sandbox: string;
  live: string;
}

/**
 * Reads PUBLIC_URL, without a trailing slash. Default: the address on which the program listens.
 * @throws ConfigError when the value is invalid
 */
export function publicUrl(env: Env, host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const value = env.PUBLIC_URL || `http://${shown}:${port}`;
  const wanted = 'an http or https address without a user, a query or a fragment';
  const { origin, pathname } = webAddress('PUBLIC_URL', value, wanted);
  return (origin + pathname).replace(/\/+$/, '');
}

/**
 * Parses an address to which paths are appended. It must not have a user, a query or a fragment.
 * @throws ConfigError, whose message has no password
 */
export function webAddress(name: string, value: string, wanted: string): URL {
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash)) return url;
  throw wrong(name, value.replace(/^.*@/s, '…@'), wanted);
}

/** Returns whether the URL is https, or a loopback address, whose traffic does not leave the machine. */
export function isSafeInProduction(public_url: string): boolean {
  const { protocol, hostname } = new URL(public_url);
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Reads the three database URLs.
 * @returns null when none is set
 * @throws ConfigError when only some are set, or one is invalid
 */
export function databaseUrls(env: Env): DatabaseUrls | null {
  const names = ['CONTROL_DATABASE_URL', 'SANDBOX_DATABASE_URL', 'LIVE_DATABASE_URL'] as const;
  const [control, sandbox, live] = names.map((name) => env[name] || null);
  if (!control && !sandbox && !live) return null;
  if (!control || !sandbox || !live) {
    const missing = names.filter((name) => !env[name]);
    throw new ConfigError(`${missing.join(' and ')} not set: set all three database addresses, or none for our own database`);
  }
  for (const name of names) {
    if (!/^postgres(ql)?:\/\//.test(env[name] as string)) {
      throw new ConfigError(`${name} cannot be used: it must start with postgresql://`);
    }
    parseDatabaseUrl(env[name] as string);
  }
  if (new Set([control, sandbox, live]).size < 3) {
    throw new ConfigError('CONTROL_, SANDBOX_ and LIVE_DATABASE_URL must name three different databases');
  }
  return { control, sandbox, live };
}

/**
 * Reads REDIS_URL.
 * @throws ConfigError, whose message has no password
 */
export function redisUrl(env: Env): string | null {
  const value = env.REDIS_URL || null;
  // The value is not shown, because it may contain a password.
  if (value && !isRedisUrl(value)) {
    throw new ConfigError(
      'REDIS_URL cannot be used: it must be an address such as redis://10.0.0.5:6379 or rediss://user:password@cache/0',
    );
  }
  return value;
}

function isRedisUrl(text: string): boolean {
  try {
    const { protocol, hostname, pathname, username, password } = new URL(text);
    decodeURIComponent(username + password);
    return /^rediss?:$/.test(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname);
  } catch {
    return false;
  }
}

/**
 * Reads SMTP_URL.
 * @throws ConfigError, whose message has no password, also when MAIL_FROM is not set
 */
export function smtpUrl(env: Env): string | null {
  const value = env.SMTP_URL || null;
  // The value is not shown, because it may contain a password.
  if (value && !isSmtpUrl(value)) {
    throw new ConfigError('SMTP_URL cannot be used: it must be an address such as smtp://user:password@mail.example:587');
  }
  if (value && !env.MAIL_FROM) throw new ConfigError('MAIL_FROM is not set: SMTP_URL requires the sender of mails');
  return value;
}

function isSmtpUrl(value: string): boolean {
  const url = URL.parse(value);
  // An invalid percent-encoding in the user or password cannot be decoded.
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && !/%(?![0-9a-f]{2})/i.test(value);
}

/**
 * Reads MAIL_FROM: `Name <address>`, or an address.
 * @throws ConfigError when the value is invalid
 */
export function mailFrom(env: Env): string {
  const value = env.MAIL_FROM || 'Pirogue <pirogue@localhost>';
  const address = /^(?:[^<>@,;\p{Cc}]*<([^<>]+)>|([^<>]+))$/u.exec(value);
  if (/^[^\s@,;\p{Cc}]+@[^\s@,;\p{Cc}]+$/u.test(address?.[1] ?? address?.[2] ?? '')) return value;
  throw wrong('MAIL_FROM', value, 'an address such as Pirogue <no-reply@pay.example>');
}

const MAX_PROXIES = 10;

/**
 * Reads TRUST_PROXY. A range of all addresses is rejected: every caller could then choose its own address.
 * @throws ConfigError when the value is invalid
 */
export function trustProxy(env: Env): TrustProxy {
  const value = env.TRUST_PROXY || '0';
  if (/^\d+$/.test(value)) return integer(env, 'TRUST_PROXY', 0, 0, MAX_PROXIES);
  const entries = value.split(',').map((entry) => entry.trim());
  const wrongOne = entries.some((entry) => !isAddressOrRange(entry) || entry.includes('%') || /\/0+$/.test(entry));
  if (!wrongOne) return entries;
  throw wrong('TRUST_PROXY', value, `a number of proxies up to ${MAX_PROXIES}, or addresses and ranges such as 10.0.0.0/8,::1`);
}
