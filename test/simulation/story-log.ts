import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import type { Log } from '../../src/kit/log.ts';
import { pgCode } from '../../src/kit/sql.ts';
import type { Scheduler } from './scheduler.ts';

/** Errors that faults of nodes cause: deadlines behind a paused node, deadlocks, serialisation failures. */
const TEMPORARY = new Set(['57014', '40P01', '40001']);
const DEADLINE = /^the step has not ended within \d+ ms$/;

/** What the service reports as an error although it has done all it can: somebody has to know. */
const NEWS = new Set(['a payout that had ended without money reached its recipient: its amount was drawn again']);

/**
 * A log whose warnings and errors are lines of the story.
 * @param complain called for each error that no fault of a node, a connection or a provider explains
 */
export function storyLog(scheduler: Scheduler, complain: (what: string) => void): Log {
  const remark = (level: string) => (what: unknown, message?: string) =>
    scheduler.remark(() => {
      const { err, ...rest } = what as { err?: Error };
      const text = JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      return `${level}: ${message ?? ''} ${text} ${err?.stack?.split('\n').slice(0, 8).join(' | ') ?? ''}`;
    });
  const judge = (level: string) => (what: unknown, message?: string) => {
    remark(level)(what, message);
    const { err } = what as { err?: unknown };
    if (!NEWS.has(message ?? '') && !isTemporary(err)) complain(`the service logged ${level}: ${message ?? ''} ${err ?? ''}`);
  };
  const none = () => {};
  return {
    level: 'warn',
    fatal: judge('fatal'),
    error: judge('error'),
    warn: remark('warn'),
    info: none,
    debug: none,
    trace: none,
  } as unknown as Log;
}

function isTemporary(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || TEMPORARY.has(pgCode(error) ?? '')) return true;
  return error instanceof Error && DEADLINE.test(error.message);
}
