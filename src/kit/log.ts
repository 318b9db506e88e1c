import { type Logger, pino } from 'pino';
import { blotCards } from './cards.ts';

export type Log = Logger;

/** API keys and webhook signing secrets. */
const SECRET_LIKE = /\b(?:[psr]k(?:_test)?\.|whsec_)[0-9A-Za-z]{8,}/g;

/** Field names whose values are never logged. */
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

/** Removes anything that looks like an API key, a signing secret or a card number. Applied to every logged string. */
export function blot(text: string): string {
  return blotCards(text.replace(SECRET_LIKE, '[redacted]'));
}

/**
 * Creates a logger that writes JSON lines, or readable lines in development. `err` objects keep type, message, stack, code and
 * cause, with secrets removed; everything else is dropped, because the `detail` and `parameters` of a database error could
 * contain payer data.
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
