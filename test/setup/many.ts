/**
 * The pool of a service under test has six connections or fewer, and whoever waits for one longer than ten seconds gets none. More work at once
 * than this would only wait, on a busy machine for too long.
 */
const AT_ONCE = 20;

/** Does work so many times, always much of it at once. @returns the results in the order of the numbers */
export async function many<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_ONCE) }, lane));
  return results;
}
