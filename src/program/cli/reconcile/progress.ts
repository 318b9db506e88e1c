import type { Progress } from '../../../core/reconciliation/service.ts';

const EVERY_MS = 200;

/**
 * Shows the progress on stderr: on a terminal one line that is updated, otherwise a line for each step. Shows nothing when a
 * program reads the output.
 * @param size of the file in bytes
 * @param quiet shows nothing
 */
export function showProgress(size: number, quiet: boolean): { update(step: Progress): void; end(): void } {
  if (quiet) return { update: () => undefined, end: () => undefined };
  const live = process.stderr.isTTY;
  let shown = 0;
  let step = '';
  const update = (progress: Progress) => {
    const now = performance.now();
    const changed = progress.step !== step;
    if (live && !changed && now - shown < EVERY_MS) return;
    if (!live && !changed) return;
    [shown, step] = [now, progress.step];
    process.stderr.write(live ? `\r\x1b[2K${textOf(progress, size)}` : `${titleOf(progress)}\n`);
  };
  return { update, end: () => void (live && process.stderr.write('\r\x1b[2K')) };
}

function titleOf({ step }: Progress): string {
  return { reading: 'reading the statement', matching: 'comparing it with the books', settling: 'processing the breaks' }[step];
}

function textOf(progress: Progress, size: number): string {
  if (progress.step === 'reading') {
    const share = size > 0 ? Math.min(100, Math.floor((progress.bytes * 100) / size)) : 100;
    return `${titleOf(progress)}: ${share} %, ${progress.lines.toLocaleString('en')} lines`;
  }
  return progress.step === 'settling' ? `${titleOf(progress)}: ${progress.done.toLocaleString('en')}` : titleOf(progress);
}
