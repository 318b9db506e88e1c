/**
 * Runs `work` again while it fails by a conflict that another run resolves.
 * @throws any other error, and the conflict of the last run
 */
export async function retried<T>(
  max_runs: number,
  isConflict: (error: unknown) => boolean,
  work: (run: number) => Promise<T>,
): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work(run);
    } catch (error) {
      if (!isConflict(error) || run === max_runs) throw error;
    }
  }
}
