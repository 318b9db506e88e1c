/** What a helper process tells the benchmark. */
export type Message<Result> = { kind: 'started' } | { kind: 'done'; result: Result } | { kind: 'failed'; why: string };

/** The helper's side of helper.ts: does each job that comes. */
export function takeJobs<Job, Result>(work: (job: Job, started: () => void) => Promise<Result>): void {
  const report = (message: Message<Result>) => process.send?.(message);
  process.channel?.ref();
  process.on('message', (job) => {
    work(job as Job, () => report({ kind: 'started' })).then(
      (result) => report({ kind: 'done', result }),
      (error: Error) => report({ kind: 'failed', why: error.stack ?? error.message }),
    );
  });
}
