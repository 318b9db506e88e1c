/**
 * Caches the result of `read`, regardless of the number of scrapers; concurrent calls share one query. A failed result is not
 * cached.
 * @param keep_ms milliseconds on the monotonic clock, because this limits load and has no effect on payments
 */
export function cached<T>(read: () => Promise<T>, keep_ms: number): () => Promise<T> {
  let result: Promise<T> | undefined;
  let until = 0;
  return () => {
    const now = performance.now();
    if (!result || now >= until) {
      until = now + keep_ms;
      result = read();
      result.catch(() => {
        result = undefined;
      });
    }
    return result;
  };
}
