/** Milliseconds between two updates of the line on a terminal. */
const LIVE_MS = 200;
/** Milliseconds between two lines in a log. */
const PLAIN_MS = 10_000;

/** Where progress is written to. */
export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Progress of a long command. */
export interface Progress {
  /** Shows a step, with how far it is when the line is due. */
  update(step: string, detail?: () => string): void;
  /** Removes the line from a terminal, so that the result follows. */
  end(): void;
}

/**
 * Shows the progress of a command on stderr: on a terminal one line that is updated, otherwise a line every ten seconds, so that a
 * short command in a script prints nothing.
 * @param quiet shows nothing: a program reads the output
 */
export function showProgress(quiet: boolean, stream: ProgressStream = process.stderr, clock = () => performance.now()): Progress {
  if (quiet) return { update: () => undefined, end: () => undefined };
  const live = stream.isTTY === true;
  let shown_at = clock();
  let shown: string | undefined;
  const update = (step: string, detail?: () => string) => {
    const due = clock() - shown_at >= (live ? LIVE_MS : PLAIN_MS) || (live && step !== shown);
    if (!due) return;
    [shown, shown_at] = [step, clock()];
    const text = detail ? `${step}: ${detail()}` : step;
    stream.write(live ? `\r\x1b[2K${text}` : `${text}\n`);
  };
  const end = () => {
    if (live && shown !== undefined) stream.write('\r\x1b[2K');
    shown = undefined;
  };
  return { update, end };
}

/** Runs work with the progress of its command, and removes the line however the work ends. */
export async function withProgress<T>(quiet: boolean, work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = showProgress(quiet);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
