import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { describeDatabaseError } from './database-errors.ts';

const FAILED = 1;
const USAGE = 2;

/** Something the person at the keyboard can put right; told in one or two lines, without a stack. */
export class Failure extends Error {
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

/** 2: the command was not understood. 1: it was, and could not be done. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof CommanderError)) return FAILED;
  return error.exitCode === 0 ? 0 : USAGE;
}

/** What stderr says; nothing when the parser of the command line has said it already. */
export async function failureText(error: unknown): Promise<string | undefined> {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof Failure) return `pirogue: ${error.message}\n  ${error.advice}`;
  if (error instanceof ConfigError) return `pirogue: ${error.message}`;
  const known = describeDatabaseError(error);
  if (known) return `pirogue: the database can not be used: ${known}\n  "pirogue doctor" looks for the cause.`;
  const { blot } = await import('../kit/log.ts');
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `pirogue: this should not happen, please report it\n${blot(trace)}`;
}
