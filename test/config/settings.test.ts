import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../src/platform/config/config.ts';

const KEY = randomBytes(32).toString('base64');
const URLS = {
  CONTROL_DATABASE_URL: 'postgresql://a/c',
  SANDBOX_DATABASE_URL: 'postgresql://a/s',
  LIVE_DATABASE_URL: 'postgresql://a/l',
};

const REFUSED: [env: Record<string, string>, message: RegExp][] = [
  [{ PORT: 'abc' }, /^PORT=abc .*whole number from 1 to 65535/],
  [{ PORT: '0' }, /^PORT=0 /],
  [{ PORT: '65536' }, /^PORT=65536 /],
  [{ PORT: '80.5' }, /^PORT=80.5 /],
  [{ PORT: '-1' }, /^PORT=-1 /],
  [{ PROFILE: 'prod' }, /^PROFILE=prod .*development, production/],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL=loud /],
  [{ LOG_FORMAT: 'xml' }, /^LOG_FORMAT=xml /],
  [{ REQUEST_LOG: 'on' }, /^REQUEST_LOG=on .*whole number from 1 to 100000000/],
  [{ CREATE_BATCHING: 'yes' }, /^CREATE_BATCHING=yes .*on, off/],
  [{ DATABASE_POOL: '1' }, /^DATABASE_POOL=1 /],
  [{ SANDBOX_DELAY_MS: '1s' }, /^SANDBOX_DELAY_MS=1s /],
  [{ WEBHOOK_RETRY_SCHEDULE: '30s,soon' }, /^WEBHOOK_RETRY_SCHEDULE=30s,soon .*list of durations/],
  [{ WEBHOOK_RETRY_SCHEDULE: '30' }, /^WEBHOOK_RETRY_SCHEDULE=30 /],
  [{ HOLD_CARD: '5w' }, /^HOLD_CARD=5w .*duration/],
  [{ FEE_CARD: '3.555' }, /^FEE_CARD=3.555 .*percentage/],
  [{ FEE_CARD: '-1' }, /^FEE_CARD=-1 /],
  [{ FEE_CARD: '100' }, /^FEE_CARD=100 /],
  [{ PUBLIC_URL: 'ftp://x' }, /^PUBLIC_URL=ftp:\/\/x .*http/],
  [{ PUBLIC_URL: 'pay.example' }, /^PUBLIC_URL=pay.example /],
  [{ PUBLIC_URL: 'https://pay.example?tenant=1' }, /^PUBLIC_URL=https:\/\/pay.example\?tenant=1 .*without .* a query/],
  [{ PUBLIC_URL: 'https://pay.example/shop#top' }, /^PUBLIC_URL=.* a fragment/],
  [{ PUBLIC_URL: 'https://awa@pay.example' }, /^PUBLIC_URL=…@pay.example .*without a user/],
  [{ CONSOLE_URL: 'https://console.example/shop' }, /^CONSOLE_URL=.*without a path/],
  [{ CONSOLE_URL: 'https://:secret@console.example' }, /^CONSOLE_URL=…@console.example /],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318?token=1' }, /^OTEL_EXPORTER_OTLP_ENDPOINT cannot be used/],
  [{ PROFILE: 'production' }, /^SECRETS_KEY is not set/],
  [{ PROFILE: 'production', SECRETS_KEY: KEY, PUBLIC_URL: 'http://pay.example' }, /^PUBLIC_URL is http:\/\/pay.example: .*https/],
  [{ PROFILE: 'production', SECRETS_KEY: KEY, HOST: '10.0.0.5' }, /^PUBLIC_URL is http:\/\/10.0.0.5:8080: .*https/],
  [{ PROFILE: 'production', SECRETS_KEY: KEY, PUBLIC_URL: 'http://localhost.pay.example' }, /^PUBLIC_URL is /],
  [{ SECRETS_KEY: 'short' }, /^SECRETS_KEY cannot be used: it must be 32 bytes/],
  [{ SECRETS_KEY: `${'A'.repeat(43)}=` }, /^SECRETS_KEY .*example/],
  [{ SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') }, /^SECRETS_KEY .*example/],
  [{ CONTROL_DATABASE_URL: 'postgresql://a/c' }, /^SANDBOX_DATABASE_URL and LIVE_DATABASE_URL not set/],
  [{ ...URLS, LIVE_DATABASE_URL: 'mysql://a/l' }, /^LIVE_DATABASE_URL .*postgresql:/],
  [{ ...URLS, LIVE_DATABASE_URL: URLS.SANDBOX_DATABASE_URL }, /three different databases/],
];

for (const [env, message] of REFUSED) {
  test(`refused with one line: ${Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`, () => {
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes('\n'),
    );
  });
}

test('an error never contains a secret or the password of an address', () => {
  const secrets: Record<string, string>[] = [
    { SECRETS_KEY: 'hunter2hunter2' },
    { ...URLS, LIVE_DATABASE_URL: 'mysql://root:hunter2@a/l' },
    { PUBLIC_URL: 'https://root:hunter2@pay.example' },
    { CONSOLE_URL: 'https://root:hunter2@console.example' },
    {
      ...URLS,
      LIVE_DATABASE_URL: 'postgresql://root:hunter2@a/s',
      SANDBOX_DATABASE_URL: 'postgresql://root:hunter2@a/s',
    },
  ];
  for (const env of secrets) {
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
    );
  }
});

test('the documented defaults apply when nothing is set', () => {
  const config = readConfig({});
  assert.deepEqual(
    [config.profile, config.host, config.port, config.public_url, config.database_urls, config.secrets_keys],
    ['development', '127.0.0.1', 8080, 'http://127.0.0.1:8080', null, null],
  );
  assert.deepEqual(config.webhook_retry_schedule_ms, [30_000, 60_000, 300_000, 600_000, 3_600_000]);
  assert.deepEqual(config.fees, { mobile_money: 200, bank: 150, card: 350, transfer: 100 });
  assert.deepEqual(config.retention_ms, { mobile_money: 86_400_000, bank: 172_800_000, card: 432_000_000 });
  assert.deepEqual(
    [config.sandbox_delay_ms, config.webhook_timeout_ms, config.webhook_disable_after_days, config.create_batching],
    [800, 10_000, 5, true],
  );
  assert.deepEqual([config.log_level, config.log_format], ['info', 'pretty']);
});

test('an empty variable counts as not set', () => {
  assert.deepEqual(readConfig({ PORT: '', SECRETS_KEY: '', LIVE_DATABASE_URL: '' }), readConfig({}));
});

test('in production PUBLIC_URL may be plain http on this machine only', () => {
  for (const PUBLIC_URL of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'https://pay.example']) {
    assert.equal(readConfig({ PROFILE: 'production', SECRETS_KEY: KEY, PUBLIC_URL }).public_url, PUBLIC_URL);
  }
  for (const PUBLIC_URL of ['http://pay.example', 'http://10.0.0.5:8080', 'http://localhost.pay.example']) {
    assert.throws(() => readConfig({ PROFILE: 'production', SECRETS_KEY: KEY, PUBLIC_URL }), /PUBLIC_URL.*https/);
  }
});

test('PUBLIC_URL keeps its path, and is what its parts say', () => {
  for (const [PUBLIC_URL, url] of [
    ['https://pay.example/shop/', 'https://pay.example/shop'],
    ['https://pay.example/?', 'https://pay.example'],
    ['https://pay.example/#', 'https://pay.example'],
    ['https:pay.example', 'https://pay.example'],
  ] as const) {
    assert.equal(readConfig({ PUBLIC_URL }).public_url, url);
  }
});

test('settings from the environment are applied', () => {
  const config = readConfig({
    ...URLS,
    PROFILE: 'production',
    SECRETS_KEY: KEY,
    HOST: '::',
    PORT: '9',
    PUBLIC_URL: 'https://pay.example//',
    FEE_CARD: '2.75',
    HOLD_CARD: '0s',
    WEBHOOK_RETRY_SCHEDULE: '10ms, 2s,3m,4h',
    CREATE_BATCHING: 'off',
  });
  assert.deepEqual(config.database_urls, {
    control: 'postgresql://a/c',
    sandbox: 'postgresql://a/s',
    live: 'postgresql://a/l',
  });
  assert.deepEqual(config.secrets_keys, [Buffer.from(KEY, 'base64')]);
  assert.deepEqual([config.public_url, config.fees.card, config.retention_ms.card], ['https://pay.example', 275, 0]);
  assert.deepEqual(config.webhook_retry_schedule_ms, [10, 2_000, 180_000, 14_400_000]);
  assert.deepEqual([config.create_batching, config.log_format], [false, 'json']);
});

const SHOWN: [host: string, url: string][] = [
  ['0.0.0.0', 'http://localhost:8080'],
  ['::', 'http://localhost:8080'],
  ['::1', 'http://[::1]:8080'],
  ['10.0.0.5', 'http://10.0.0.5:8080'],
];

for (const [host, url] of SHOWN) {
  test(`HOST=${host} is shown as ${url}`, () => assert.equal(readConfig({ HOST: host }).public_url, url));
}
