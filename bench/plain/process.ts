import { takeJobs } from '../child/jobs.ts';
import { type PlainOptions, startPlain } from './service.ts';

/** The plain service as a process of its own; it ends with the benchmark. */
takeJobs<PlainOptions, { port: number }>(async (options) => {
  const { port } = await startPlain(options);
  return { port };
});
