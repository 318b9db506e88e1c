const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LOOK_MS = 500;

/** Returns a signal that aborts when the run should end early: on SIGINT, SIGTERM or SIGHUP, or when the parent process has ended. */
export function endOf(self: NodeJS.Process): AbortSignal {
  const end = new AbortController();
  for (const signal of SIGNALS) self.on(signal, () => end.abort());
  const parent = self.ppid;
  const look = setInterval(() => {
    if (self.ppid !== parent) end.abort();
  }, LOOK_MS);
  look.unref();
  return end.signal;
}
