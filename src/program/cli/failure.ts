import { CommanderError } from 'commander';
import { ConfigError } from '../../platform/config/config.ts';
import { describeDatabaseError } from '../database-errors.ts';
import { describeFileError } from '../file-errors.ts';

const FAILED = 1;
const USAGE = 2;

/** An error that the user can correct. It is printed on one line, without a stack trace. */
export class Failure extends Error {
  /** What to do about it. */
  readonly advice: string;
  readonly exit_code: number = FAILED;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/** An invalid value on the command line that is detected only when it is used. */
export class UsageFailure extends Failure {
  override readonly exit_code = USAGE;
}

/** Returns the exit code: 2 for an invalid command line, 1 for a command that failed. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Failure) return error.exit_code;
  if (!(error instanceof CommanderError)) return FAILED;
  return error.exitCode === 0 ? 0 : USAGE;
}

/** Returns the text for stderr; undefined when the parser of the command line has already printed it. */
export async function failureText(error: unknown): Promise<string | undefined> {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof Failure) return onOneLine(`pirogue: ${error.message}`, error.advice);
  if (error instanceof ConfigError) return `pirogue: ${error.message}`;
  const known = describeDatabaseError(error);
  if (known) return onOneLine(`pirogue: the database cannot be used: ${known}`, 'Run "pirogue doctor" to find the cause.');
  const file = describeFileError(error);
  if (file) return onOneLine(`pirogue: ${file.message}`, file.advice);
  const { TableBlocked } = await import('../../platform/db/lock-tries.ts');
  if (error instanceof TableBlocked) return `pirogue: ${error.message}.`;
  const { blot } = await import('../../kit/log.ts');
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `pirogue: internal error, please report it\n${blot(trace)}`;
}

/** Joins a message and what to do about it, as two sentences on one line. */
export function onOneLine(message: string, advice: string): string {
  const sentence = message.trim().replaceAll(/\s*\n\s*/g, ' ');
  return `${/[.!?]\)?$/.test(sentence) ? sentence : `${sentence}.`} ${advice}`;
}
