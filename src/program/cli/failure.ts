import { CommanderError } from 'commander';
import { ConfigError } from '../../platform/config/config.ts';
import { describeDatabaseError } from './database-errors.ts';

const FAILED = 1;
const USAGE = 2;

/** An error that the user can correct. It is printed in one or two lines, without a stack trace. */
export class Failure extends Error {
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/** Returns the exit code: 2 for an invalid command line, 1 for a command that failed. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof CommanderError)) return FAILED;
  return error.exitCode === 0 ? 0 : USAGE;
}

/** Returns the text for stderr; undefined when the parser of the command line has already printed it. */
export async function failureText(error: unknown): Promise<string | undefined> {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof Failure) return `pirogue: ${error.message}\n  ${error.advice}`;
  if (error instanceof ConfigError) return `pirogue: ${error.message}`;
  const known = describeDatabaseError(error);
  if (known) return `pirogue: the database cannot be used: ${known}\n  Run "pirogue doctor" to find the cause.`;
  const { blot } = await import('../../kit/log.ts');
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `pirogue: internal error, please report it\n${blot(trace)}`;
}
