export type FindingStatus = 'ok' | 'warn' | 'fail';

/** Result of one check, a line of `pirogue doctor`. */
export interface Finding {
  name: string;
  status: FindingStatus;
  detail: string;
  /** What to do; null when nothing is needed. */
  advice: string | null;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail, advice: null });
export const warn = (name: string, detail: string, advice: string): Finding => ({ name, status: 'warn', detail, advice });
export const fail = (name: string, detail: string, advice: string): Finding => ({ name, status: 'fail', detail, advice });
