import type { Progress as Reconciling } from '../../../core/reconciliation/service.ts';
import { countText } from '../format.ts';
import type { Progress } from '../progress.ts';

const TITLES: Record<Reconciling['step'], string> = {
  reading: 'reading the statement',
  matching: 'comparing it with the books',
  settling: 'processing the breaks',
};

/**
 * Returns the listener that shows the progress of a reconciliation.
 * @param size of the file in bytes
 */
export function reconciling(progress: Progress, size: number): (step: Reconciling) => void {
  return (step) => progress.update(TITLES[step.step], detailOf(step, size));
}

function detailOf(step: Reconciling, size: number): (() => string) | undefined {
  if (step.step === 'matching') return undefined;
  if (step.step === 'settling') return () => countText(step.done);
  const share = size > 0 ? Math.min(100, Math.floor((step.bytes * 100) / size)) : 100;
  return () => `${share} %, ${countText(step.lines)} lines`;
}
