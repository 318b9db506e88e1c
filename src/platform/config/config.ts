import path from 'node:path';
import type { Environment } from '../../kit/environment.ts';
import {
  type DatabaseUrls,
  databaseUrls,
  isSafeInProduction,
  mailFrom,
  publicUrl,
  redisUrl,
  smtpUrl,
  type TrustProxy,
  trustProxy,
} from './addresses.ts';
import { type ConsoleAddress, consoleAddress } from './console.ts';
import { secretsKeysFrom } from './secrets-keys.ts';
import { duration, durations, type Env, integer, oneOf, percent, wrong } from './read.ts';
import { ConfigError } from '../../kit/config-error.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';
import { type TracingSettings, tracingSettings } from './tracing.ts';

export { ConfigError, type DatabaseUrls, type TrustProxy };

/** Fee rates in hundredths of a percent (basis points): 200 is 2 %. Integers, because a fee is exact. */
export type FeeRates = Record<ChannelKind | 'transfer', number>;

/** Role of a program start, which determines what it runs. */
export type Role = 'all' | 'api' | 'worker' | 'migrate';

/** All external settings, read once and validated at start. No other code reads the environment. */
export interface Config {
  profile: 'development' | 'production';
  host: string;
  port: number;
  /** Public base URL for payers and merchants, without a trailing slash. */
  public_url: string;
  /** Where people sign in to the console. Null: there is no console. */
  console: ConsoleAddress | null;
  /** Absolute path of this machine's data folder: the embedded database, keys.json, the secrets key, mail files. */
  data_dir: string;
  /** URLs of external databases. Null: an embedded server under data_dir. */
  database_urls: DatabaseUrls | null;
  /** False: only the role `migrate` applies migrations. */
  migrate_on_start: boolean;
  /** Connections per database and process. */
  database_pool: number;
  /** URL of the mail server. Null: mail is written to files under data_dir. */
  smtp_url: string | null;
  /** Sender address: `Name <address>`, or an address. */
  mail_from: string;
  /** False: payers get no receipt by mail. */
  receipt_mail: boolean;
  /** Redis or Valkey for counters shared by several nodes. Null: this is the only node. */
  redis_url: string | null;
  /** Timeout for Redis per request; after it, the node uses its own counters. */
  redis_timeout_ms: number;
  /** False: nothing is counted, and no request is rejected with 429. */
  rate_limits: boolean;
  /** Trusted sources of X-Forwarded-For: a number of proxies in front of us, or addresses and ranges. */
  trust_proxy: TrustProxy;
  /** The encryption key, then keys that only decrypt. Null: stored in a file under data_dir (development only). */
  secrets_keys: readonly Buffer[] | null;
  /** API requests that are stored for each team and day. Null: there is no request log. */
  requests_per_day: number | null;
  /** False: nothing is stored of the exchanges with providers. */
  provider_exchanges: boolean;
  log_level: string;
  log_format: 'json' | 'pretty';
  sandbox_delay_ms: number;
  /** Hundredths of a percent per kind of channel; 200 is 2 %. */
  fees: FeeRates;
  /** Retention of collected money before it can be paid out, in live; the sandbox has none. */
  retention_ms: Record<ChannelKind, number>;
  /** Maximum advance of the platform to a team for refunds beyond its balance, in major units of any currency. */
  credit_cap: Record<Environment, number>;
  /** Waits before the second, third, … attempt of a delivery, in milliseconds. */
  webhook_retry_schedule_ms: number[];
  webhook_timeout_ms: number;
  /** Days without a successful delivery after which an endpoint is deactivated. */
  webhook_disable_after_days: number;
  /** Whether concurrent POST /payments are written in one statement under load. False: one statement each. */
  create_batching: boolean;
  shutdown_ms: number;
  /** Time for which a stopping server still accepts requests, while it reports to load balancers that it is not ready. */
  drain_ms: number;
  /** Deadline for the headers and body of a request. */
  request_timeout_ms: number;
  /** Age at which events and their delivery attempts are deleted. */
  events_keep_ms: number;
  /** Address of the Prometheus endpoint. Null: metrics are disabled. */
  metrics: { host: string; port: number } | null;
  /** Destination of traces. Null: tracing is disabled. */
  tracing: TracingSettings | null;
  /**
   * For tests and proofs: accelerates the databases' time from this moment (milliseconds since the epoch). Speed 1 is real
   * time. Null: unchanged.
   */
  hasten: { speed: number; from: number } | null;
}

/**
 * Reads and validates the configuration.
 * @param env usually process.env
 * @throws ConfigError with the variable, its value (never a secret's) and the valid values
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
    console: consoleAddress(env, profile, publicUrl(env, host, port)),
    data_dir: path.resolve(env.DATA_DIR || 'var'),
    database_urls: databaseUrls(env),
    migrate_on_start: oneOf(env, 'MIGRATE_ON_START', ['on', 'off'], 'on') === 'on',
    database_pool: integer(env, 'DATABASE_POOL', 16, 2, 200),
    smtp_url: smtpUrl(env),
    mail_from: mailFrom(env),
    receipt_mail: oneOf(env, 'RECEIPT_MAIL', ['on', 'off'], 'on') === 'on',
    redis_url: redisUrl(env),
    redis_timeout_ms: integer(env, 'REDIS_TIMEOUT_MS', 50, 1, 10_000),
    rate_limits: oneOf(env, 'RATE_LIMITS', ['on', 'off'], 'on') === 'on',
    trust_proxy: trustProxy(env),
    secrets_keys: secretsKeysFrom(env),
    requests_per_day: env.REQUEST_LOG === 'off' ? null : integer(env, 'REQUEST_LOG', 1_000_000, 1, 100_000_000),
    provider_exchanges: oneOf(env, 'PROVIDER_EXCHANGES', ['on', 'off'], 'on') === 'on',
    log_level: oneOf(env, 'LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
    log_format: oneOf(env, 'LOG_FORMAT', ['json', 'pretty'], profile === 'development' ? 'pretty' : 'json'),
    sandbox_delay_ms: integer(env, 'SANDBOX_DELAY_MS', 800, 0, 600_000),
    fees: {
      mobile_money: percent(env, 'FEE_MOBILE_MONEY', '2'),
      bank: percent(env, 'FEE_BANK', '1.5'),
      card: percent(env, 'FEE_CARD', '3.5'),
      transfer: percent(env, 'FEE_TRANSFER', '1'),
    },
    retention_ms: {
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
    webhook_disable_after_days: integer(env, 'WEBHOOK_DISABLE_AFTER_DAYS', 5, 2, 90),
    create_batching: oneOf(env, 'CREATE_BATCHING', ['on', 'off'], 'on') === 'on',
    shutdown_ms: integer(env, 'SHUTDOWN_MS', 15_000, 0, 300_000),
    drain_ms: integer(env, 'DRAIN_MS', 0, 0, 300_000),
    request_timeout_ms: integer(env, 'REQUEST_TIMEOUT_MS', 30_000, 1_000, 300_000),
    events_keep_ms: duration(env, 'EVENTS_KEEP', '90d'),
    metrics: env.METRICS_PORT ? { host: env.METRICS_HOST || '127.0.0.1', port: integer(env, 'METRICS_PORT', 0, 1, 65535) } : null,
    tracing: tracingSettings(env),
    hasten: hasten(env, profile),
  };
  if (profile === 'production' && !isSafeInProduction(config.public_url)) {
    throw new ConfigError(
      `PUBLIC_URL is ${config.public_url}: PROFILE=production needs https (payers' cookies and keys travel under it). Set it to the https address of the TLS proxy in front; the process itself listens in plain HTTP`,
    );
  }
  if (profile === 'production' && !config.secrets_keys) {
    throw new ConfigError('SECRETS_KEY is not set: PROFILE=production needs 32 bytes in base64 (openssl rand -base64 32)');
  }
  return config;
}

/**
 * Parses CLOCK_SPEED. `20@1790000000`: twenty times faster from that Unix second; `off`: real time.
 * @throws ConfigError in production, or when the value is invalid
 */
function hasten(env: Env, profile: Config['profile']): Config['hasten'] {
  const value = env.CLOCK_SPEED;
  if (!value) return null;
  if (profile === 'production') throw new ConfigError('CLOCK_SPEED is set: PROFILE=production keeps the real time');
  if (value === 'off') return { speed: 1, from: 0 };
  const match = /^([1-9]\d{0,2})@(\d{9,11})$/.exec(value);
  if (!match) throw wrong('CLOCK_SPEED', value, 'a speed and a second, such as 20@1790000000, or off');
  return { speed: Number(match[1]), from: Number(match[2]) * 1000 };
}
