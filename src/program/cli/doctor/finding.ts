export type FindingStatus = 'ok' | 'warn' | 'fail';

/** Result of one check, a line of `pirogue doctor`. */
export interface Finding {
  name: string;
  status: FindingStatus;
  detail: string;
  /** What to do; null when nothing is needed. */
  advice: string | null;
}

/** Returns a check that passed. */
export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail, advice: null });
/** Returns a check with a warning. */
export const warn = (name: string, detail: string, advice: string): Finding => ({ name, status: 'warn', detail, advice });
/** Returns a check that failed, which makes the command exit with code 1. */
export const fail = (name: string, detail: string, advice: string): Finding => ({ name, status: 'fail', detail, advice });
