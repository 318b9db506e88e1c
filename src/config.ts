import path from 'node:path';
import type { Environment } from './kit/environment.ts';
import { isAddressOrRange } from './kit/address-list.ts';
import { ConfigError } from './kit/config-error.ts';
import type { FeeRates } from './payments/fees.ts';
import type { ChannelKind } from './providers/contract.ts';
import { type TracingSettings, tracingSettings } from './telemetry/settings.ts';

export { ConfigError };

/** Which processes a program start brings up. */
export type Role = 'all' | 'api' | 'worker' | 'migrate';

export interface DatabaseUrls {
  control: string;
  sandbox: string;
  live: string;
}

/** Everything that can be set from outside, read once and checked at start; nothing else reads the environment. */
export interface Config {
  profile: 'development' | 'production';
  host: string;
  port: number;
  /** Address under which payers and merchants reach us, without a final slash. */
  public_url: string;
  /** Absolute folder for what one machine keeps: the embedded database, keys.json, the secrets key, mail. */
  data_dir: string;
  /** Set: use these databases. Null: start our own under data_dir. */
  database_urls: DatabaseUrls | null;
  /** Off: only the role migrate does it. */
  migrate_on_start: boolean;
  /** Connections per store and process. */
  database_pool: number;
  /** The mail server; null: mail is written to files under data_dir. */
  smtp_url: string | null;
  /** Whom mail is from: `Name <address>`, or an address. */
  mail_from: string;
  /** Redis or Valkey for what several nodes have to count together; null: this is the only node. */
  redis_url: string | null;
  /** How long a request waits for Redis before the node goes by its own counters. */
  redis_timeout_ms: number;
  /** Off: nothing is counted, no request is refused with 429. */
  rate_limits: boolean;
  /** Whose X-Forwarded-For is believed: so many proxies in front of us, or these addresses and ranges. */
  trust_proxy: TrustProxy;
  /** 32 bytes, or null: kept in a file under data_dir (development only). */
  secrets_key: Buffer | null;
  log_level: string;
  log_format: 'json' | 'pretty';
  sandbox_delay_ms: number;
  /** Hundredths of a percent for each kind of channel; 200 is 2 %. */
  fees: FeeRates;
  /** How long collected money waits before it can be paid out, in live; the sandbox does not wait. */
  hold_ms: Record<ChannelKind, number>;
  /** How much the platform advances to a team for refunds beyond its balance, in major units of any currency. */
  credit_cap: Record<Environment, number>;
  /** Waits before the second, third, … try of a delivery, in milliseconds. */
  webhook_retry_schedule_ms: number[];
  webhook_timeout_ms: number;
  /** Write many POST /payments in one statement under load; off: one statement each. */
  create_batching: boolean;
  shutdown_ms: number;
  /** How long a server that is to stop still takes requests, telling balancers that it is not ready. */
  drain_ms: number;
  /** Until then headers and body of a request have to be here. */
  request_timeout_ms: number;
  /** Events and what became of their deliveries are purged after so long. */
  events_keep_ms: number;
  /** Where Prometheus may ask; null: nothing is measured. */
  metrics: { host: string; port: number } | null;
  /** Where traces are sent; null: none are made. */
  tracing: TracingSettings | null;
  /** For proofs: time goes so many times faster from this moment (milliseconds since the epoch) on. Null: as it does. */
  hasten: { speed: number; from: number } | null;
}

export type TrustProxy = number | readonly string[];

type Env = Record<string, string | undefined>;

/**
 * @param env usually process.env
 * @throws ConfigError naming the variable, its value (never a secret's) and what would be right
 */
export function readConfig(env: Env): Config {
  const profile = oneOf(env, 'PROFILE', ['development', 'production'], 'development');
  const host = env.HOST || '127.0.0.1';
  const port = integer(env, 'PORT', 8080, 1, 65535);
  const config: Config = {
    profile,
    host,
    port,
    public_url: publicUrl(env, host, port),
    data_dir: path.resolve(env.DATA_DIR || 'var'),
    database_urls: databaseUrls(env),
    migrate_on_start: oneOf(env, 'MIGRATE_ON_START', ['on', 'off'], 'on') === 'on',
    database_pool: integer(env, 'DATABASE_POOL', 16, 2, 200),
    smtp_url: smtpUrl(env),
    mail_from: mailFrom(env),
    redis_url: redisUrl(env),
    redis_timeout_ms: integer(env, 'REDIS_TIMEOUT_MS', 50, 1, 10_000),
    rate_limits: oneOf(env, 'RATE_LIMITS', ['on', 'off'], 'on') === 'on',
    trust_proxy: trustProxy(env),
    secrets_key: secretsKey(env),
    log_level: oneOf(env, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    log_format: oneOf(env, 'LOG_FORMAT', ['json', 'pretty'], profile === 'development' ? 'pretty' : 'json'),
    sandbox_delay_ms: integer(env, 'SANDBOX_DELAY_MS', 800, 0, 600_000),
    fees: {
      mobile_money: percent(env, 'FEE_MOBILE_MONEY', '2'),
      bank: percent(env, 'FEE_BANK', '1.5'),
      card: percent(env, 'FEE_CARD', '3.5'),
      transfer: percent(env, 'FEE_TRANSFER', '1'),
    },
    hold_ms: {
      mobile_money: duration(env, 'HOLD_MOBILE_MONEY', '24h'),
      bank: duration(env, 'HOLD_BANK', '48h'),
      card: duration(env, 'HOLD_CARD', '120h'),
    },
    credit_cap: {
      sandbox: integer(env, 'CREDIT_CAP_SANDBOX', 1_000_000, 0, 999_999_999),
      live: integer(env, 'CREDIT_CAP_LIVE', 0, 0, 999_999_999),
    },
    webhook_retry_schedule_ms: durations(env, 'WEBHOOK_RETRY_SCHEDULE', '30s,1m,5m,10m,1h'),
    webhook_timeout_ms: integer(env, 'WEBHOOK_TIMEOUT_MS', 10_000, 100, 60_000),
    create_batching: oneOf(env, 'CREATE_BATCHING', ['on', 'off'], 'on') === 'on',
    shutdown_ms: integer(env, 'SHUTDOWN_MS', 15_000, 0, 300_000),
    drain_ms: integer(env, 'DRAIN_MS', 0, 0, 300_000),
    request_timeout_ms: integer(env, 'REQUEST_TIMEOUT_MS', 30_000, 1_000, 300_000),
    events_keep_ms: duration(env, 'EVENTS_KEEP', '90d'),
    metrics: env.METRICS_PORT ? { host: env.METRICS_HOST || '127.0.0.1', port: integer(env, 'METRICS_PORT', 0, 1, 65535) } : null,
    tracing: tracingSettings(env),
    hasten: hasten(env, profile),
  };
  if (profile === 'production' && !config.secrets_key) {
    throw new ConfigError('SECRETS_KEY is not set: PROFILE=production needs 32 bytes in base64 (openssl rand -base64 32)');
  }
  return config;
}

function wrong(name: string, value: string, wanted: string): ConfigError {
  return new ConfigError(`${name}=${value} can not be used: it must be ${wanted}`);
}

function oneOf<T extends string>(env: Env, name: string, allowed: readonly T[], fallback: T): T {
  const value = env[name] || fallback;
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw wrong(name, value, `one of ${allowed.join(', ')}`);
  return found;
}

function integer(env: Env, name: string, fallback: number, least: number, most: number): number {
  const value = env[name] || String(fallback);
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most)) throw wrong(name, value, `a whole number from ${least} to ${most}`);
  return number;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durations(env: Env, name: string, fallback: string): number[] {
  const value = env[name] || fallback;
  return value
    .split(',')
    .map((item) => parseDuration(item.trim()) ?? fail(wrong(name, value, `a list of durations such as ${fallback}`)));
}

function duration(env: Env, name: string, fallback: string): number {
  const value = env[name] || fallback;
  return parseDuration(value) ?? fail(wrong(name, value, `a duration such as ${fallback} or 0s`));
}

function parseDuration(text: string): number | null {
  const match = /^(\d{1,7})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] as string] as number) : null;
}

/** Hundredths of a percent. */
function percent(env: Env, name: string, fallback: string): number {
  const value = env[name] || fallback;
  if (!/^\d{1,2}(\.\d{1,2})?$/.test(value)) throw wrong(name, value, `a percentage such as ${fallback}`);
  return Math.round(Number(value) * 100);
}

/** `20@1790000000`: twenty times faster from that second on. */
function hasten(env: Env, profile: Config['profile']): Config['hasten'] {
  const value = env.CLOCK_SPEED;
  if (!value) return null;
  if (profile === 'production') throw new ConfigError('CLOCK_SPEED is set: PROFILE=production keeps the real time');
  const match = /^([1-9]\d{0,2})@(\d{9,11})$/.exec(value);
  if (!match) throw wrong('CLOCK_SPEED', value, 'a speed and a second, such as 20@1790000000');
  return { speed: Number(match[1]), from: Number(match[2]) * 1000 };
}

function fail(error: ConfigError): never {
  throw error;
}

function publicUrl(env: Env, host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const value = env.PUBLIC_URL || `http://${shown}:${port}`;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw wrong('PUBLIC_URL', value, 'an http or https address');
  }
  return value.replace(/\/+$/, '');
}

function databaseUrls(env: Env): DatabaseUrls | null {
  const names = ['CONTROL_DATABASE_URL', 'SANDBOX_DATABASE_URL', 'LIVE_DATABASE_URL'] as const;
  const [control, sandbox, live] = names.map((name) => env[name] || null);
  if (!control && !sandbox && !live) return null;
  if (!control || !sandbox || !live) {
    const missing = names.filter((name) => !env[name]);
    throw new ConfigError(`${missing.join(' and ')} not set: set all three database addresses, or none for our own database`);
  }
  for (const name of names) {
    if (!/^postgres(ql)?:\/\//.test(env[name] as string)) {
      throw new ConfigError(`${name} can not be used: it must start with postgresql://`);
    }
  }
  if (new Set([control, sandbox, live]).size < 3) {
    throw new ConfigError('CONTROL_, SANDBOX_ and LIVE_DATABASE_URL must name three different databases');
  }
  return { control, sandbox, live };
}

function redisUrl(env: Env): string | null {
  const value = env.REDIS_URL || null;
  // Not shown: it may hold a password.
  if (value && !isRedisUrl(value)) {
    throw new ConfigError(
      'REDIS_URL can not be used: it must be an address such as redis://10.0.0.5:6379 or rediss://user:password@cache/0',
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

function smtpUrl(env: Env): string | null {
  const value = env.SMTP_URL || null;
  // Not shown: it may hold a password.
  if (value && !isSmtpUrl(value)) {
    throw new ConfigError('SMTP_URL can not be used: it must be an address such as smtp://user:password@mail.example:587');
  }
  if (value && !env.MAIL_FROM) throw new ConfigError('MAIL_FROM is not set: SMTP_URL needs to know whom mail is from');
  return value;
}

function isSmtpUrl(value: string): boolean {
  const url = URL.parse(value);
  // A percent sign that encodes nothing can not be read back from user or password.
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && !/%(?![0-9a-f]{2})/i.test(value);
}

function mailFrom(env: Env): string {
  const value = env.MAIL_FROM || 'Pirogue <pirogue@localhost>';
  const address = /^(?:[^<>@,;\p{Cc}]*<([^<>]+)>|([^<>]+))$/u.exec(value);
  if (/^[^\s@,;\p{Cc}]+@[^\s@,;\p{Cc}]+$/u.test(address?.[1] ?? address?.[2] ?? '')) return value;
  throw wrong('MAIL_FROM', value, 'an address such as Pirogue <no-reply@pay.example>');
}

const MOST_PROXIES = 10;

/** A range of all addresses is refused: with it every caller would choose the address it is taken for. */
function trustProxy(env: Env): TrustProxy {
  const value = env.TRUST_PROXY || '0';
  if (/^\d+$/.test(value)) return integer(env, 'TRUST_PROXY', 0, 0, MOST_PROXIES);
  const entries = value.split(',').map((entry) => entry.trim());
  const wrongOne = entries.some((entry) => !isAddressOrRange(entry) || entry.includes('%') || /\/0+$/.test(entry));
  if (!wrongOne) return entries;
  throw wrong('TRUST_PROXY', value, `a number of proxies up to ${MOST_PROXIES}, or addresses and ranges such as 10.0.0.0/8,::1`);
}

/** The key of the documentation's examples: good for nothing. */
const EXAMPLE_KEYS = new Set([`${'A'.repeat(43)}=`]);

function secretsKey(env: Env): Buffer | null {
  if (!env.SECRETS_KEY) return null;
  const key = Buffer.from(env.SECRETS_KEY, 'base64');
  if (key.length !== 32) {
    throw new ConfigError('SECRETS_KEY can not be used: it must be 32 bytes in base64 (openssl rand -base64 32)');
  }
  if (EXAMPLE_KEYS.has(env.SECRETS_KEY) || key.every((byte) => byte === key[0])) {
    throw new ConfigError('SECRETS_KEY can not be used: it is an example, not a secret (openssl rand -base64 32)');
  }
  return key;
}
