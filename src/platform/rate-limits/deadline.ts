/** How often the deadline is restarted because this process was busy. */
const CHANCES = 4;

/**
 * Resolves with the promise's value, or rejects when it does not settle in time. Time in which this process was busy does not
 * count: the response may have arrived unread, or the request may not have been sent yet.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (chances: number) => {
      const since = performance.now();
      timer = setTimeout(() => {
        const passed_ms = performance.now() - since;
        // Timers count from the loop's last clock reading, so one set late in a long turn fires early.
        const busy = passed_ms < ms || passed_ms > ms * 1.5;
        if (busy && chances > 1) wait(chances - 1);
        // Timers run before sockets are read, so data that is already there gets one more chance.
        else setImmediate(() => reject(new Error(`no answer within ${ms} ms`)));
      }, ms);
    };
    wait(CHANCES);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
