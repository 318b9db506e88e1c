/**
 * Asks no more often than that, whoever scrapes; a question under way is shared. A failed one is forgotten at once.
 * @param keep_ms by the clock of the process: this is about load, not about payments
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
