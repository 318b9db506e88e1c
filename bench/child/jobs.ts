/** What a helper process tells the benchmark. */
export type Message<Result> = { kind: 'started' } | { kind: 'done'; result: Result } | { kind: 'failed'; why: string };

/** The helper's side of helper.ts: does each job that comes. */
export function takeJobs<Job, Result>(work: (job: Job, started: () => void) => Promise<Result>): void {
  const tell = (message: Message<Result>) => process.send?.(message);
  process.channel?.ref();
  process.on('message', (job) => {
    work(job as Job, () => tell({ kind: 'started' })).then(
      (result) => tell({ kind: 'done', result }),
      (error: Error) => tell({ kind: 'failed', why: error.stack ?? error.message }),
    );
  });
}
