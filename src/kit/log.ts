import { type Logger, pino } from 'pino';
import { blotCards } from './cards.ts';

export type Log = Logger;

/** Keys and signing secrets. */
const SECRET_LIKE = /\b(?:[psr]k(?:_test)?\.|whsec_)[0-9A-Za-z]{8,}/g;

/** Names under which a value is never logged, whatever it holds. */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'secret',
  'password',
  'key',
  'token',
  'pin',
  'otp',
  'cvc',
  'cvv',
  'pan',
  'card',
  'card_number',
  'security_code',
  'phone',
  'email',
  'body',
];

/** The text without what looks like a key, a signing secret or a card number: every string we log goes through here. */
export function blot(text: string): string {
  return blotCards(text.replace(SECRET_LIKE, '[redacted]'));
}

/**
 * JSON lines; readable ones in development. `err` objects keep type, message and stack with secrets blotted out, and
 * lose everything else: a database error's `detail` and `parameters` would hold a payer's data.
 */
export function createLog(options: { level: string; format: 'json' | 'pretty' }): Log {
  return pino({
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: { err: loggableError },
    hooks: {
      logMethod(args, method) {
        method.apply(this, args.map((arg) => (typeof arg === 'string' ? blot(arg) : arg)) as typeof args);
      },
    },
    ...(options.format === 'pretty'
      ? { transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } } }
      : {}),
  });
}

function loggableError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: blot(String(error)) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: loggableError(error.cause) };
  return { type: error.name, message: blot(error.message), stack: blot(error.stack ?? ''), ...code, ...cause };
}
