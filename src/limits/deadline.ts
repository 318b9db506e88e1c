/** How often a deadline is set anew because the time went by in this process. */
const CHANCES = 4;

/**
 * The promise's value, or a rejection when it is not there in time. Time in which this process was busy with something
 * else does not count: then the answer may have come and not been read, or the question not have left yet.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (chances: number) => {
      const since = performance.now();
      timer = setTimeout(() => {
        const passed_ms = performance.now() - since;
        // Timers count from when the loop last looked at the clock, so one set late in a long turn fires early.
        const busy = passed_ms < ms || passed_ms > ms * 1.5;
        if (busy && chances > 1) wait(chances - 1);
        // Timers run before sockets are read: once more what is there already.
        else setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
      }, ms);
    };
    wait(CHANCES);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
