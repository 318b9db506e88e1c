import type { Log } from '../../src/kit/log.ts';
import type { Scheduler } from './scheduler.ts';

/** A log whose warnings and errors are lines of the story. */
export function storyLog(scheduler: Scheduler): Log {
  const tell = (level: string) => (what: unknown, message?: string) =>
    scheduler.remark(() => {
      const { err, ...rest } = what as { err?: Error };
      const text = JSON.stringify(rest, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      return `${level}: ${message ?? ''} ${text} ${err?.stack?.split('\n').slice(0, 8).join(' | ') ?? ''}`;
    });
  const none = () => {};
  return {
    level: 'warn',
    fatal: tell('fatal'),
    error: tell('error'),
    warn: tell('warn'),
    info: none,
    debug: none,
    trace: none,
  } as unknown as Log;
}
