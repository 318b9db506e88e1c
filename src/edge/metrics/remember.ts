/**
 * Caches the result of `ask`, regardless of the number of scrapers; concurrent calls share one query. A failed result is not
 * cached.
 * @param keep_ms milliseconds on the monotonic clock, because this limits load and has no effect on payments
 */
export function remember<T>(ask: () => Promise<T>, keep_ms: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let until = 0;
  return () => {
    const now = performance.now();
    if (!answer || now >= until) {
      until = now + keep_ms;
      answer = ask();
      answer.catch(() => {
        answer = undefined;
      });
    }
    return answer;
  };
}
